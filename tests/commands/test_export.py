"""`abcnn export` as a process."""

from importlib.util import find_spec

from tests.commands.process import abcnn, error_of, files_in


def test_a_folder_is_written_and_one_that_is_there_is_kept(trained, tmp_path):
    bundle = trained("paraphrase").folder
    arguments = ("export", bundle, "--format", "numpy", "--vectors", "float16", "-o", "small")
    done = abcnn(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    [line] = done.stderr.splitlines()
    assert line.startswith("small: numpy, word vectors as float16, ")
    before = files_in(tmp_path)
    assert {"small/vectors.npy", "small/vocabulary.txt", "small/README.md"} <= set(before)
    assert error_of(abcnn(*arguments, cwd=tmp_path)) == "small: exists already; --force replaces it"
    assert files_in(tmp_path) == before
    assert abcnn(*arguments, "--force", cwd=tmp_path).returncode == 0


def test_what_cannot_be_exported_is_one_line_and_leaves_nothing(trained, tmp_path):
    bundle = trained("paraphrase").folder
    message = error_of(abcnn("export", "none", "--format", "onnx", "-o", "out", cwd=tmp_path))
    assert message == "none: there is no such folder"
    arguments = ("export", bundle, "--format", "litert", "--vectors", "float16", "-o", "out")
    assert "must be float32 or int8 for litert" in error_of(abcnn(*arguments, cwd=tmp_path))
    jax = ("export", bundle, "--format", "onnx", "-o", "out")
    message = error_of(abcnn(*jax, cwd=tmp_path, KERAS_BACKEND="jax"))
    if find_spec("jax"):
        assert message == "a graph needs KERAS_BACKEND=tensorflow. Received: jax"
    else:
        assert message.startswith("the backend jax (KERAS_BACKEND) cannot be used: ")
    assert files_in(tmp_path) == {}


def test_predict_says_that_an_exported_folder_is_no_bundle(trained, tmp_path):
    task = trained("paraphrase")
    abcnn("export", task.folder, "--format", "numpy", "-o", "out", cwd=tmp_path)
    message = error_of(abcnn("predict", "out", task.test_file, "-o", "scored.csv", cwd=tmp_path))
    assert message.startswith("out: is an exported model, which `abcnn.runtime.load` reads")
