"""`abcnn predict` as a user runs it: every row kept, in order, and its results behind it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import resource
import signal
import subprocess
import time

import numpy as np
import pytest
from click.testing import CliRunner

from abcnn.commands import main
from abcnn.evaluation.ranking import ranking_measures
from tests.commands.process import abcnn, command_line, environment, error_of, files_in, start

# Cells that a careless table breaks, a sentence of each kind of script, and rows without a score.
ROWS = [
    ["1", "A king came.", "The king came.", "NA"],
    ["2", 'He said "no", twice', "two\nlines; and, a comma", " spaces "],
    ["3", "👩‍👩‍👧 came 🎉", "e\u0301te\u0301 a\u0308", "null"],
    ["4", "هل جاء الملك؟", "כן, המלך בא", "\u202ertl\u202c"],
    ["5", "", "The king came.", "=1+1"],
    ["6", "A king came.", "   ", ""],
    ["7", "", "", "0.10"],
    ["8", "word " * 100_000, "國王來了。", "\ufeff"],
    ["1", "A king came.", "The king came.", "NA"],
]
NAMES = ["id", "premise", "hypothesis", "rest"]
SCORED = [0, 1, 2, 3, 7, 8]
NOTES = ["", "", "", "", "premise is empty", "hypothesis is empty"]
NOTES += ["premise is empty; hypothesis is empty", "", ""]


def predict(*arguments, stdin=None):
    """The command in this process, which has the backend already."""
    done = CliRunner().invoke(main, ["predict", *map(str, arguments)], input=stdin)
    assert done.exit_code == 0, (done.stderr, done.exception)
    return done


def read_csv(text, **dialect):
    csv.field_size_limit(1 << 24)
    return list(csv.reader(io.StringIO(text, newline=""), **dialect))


def as_csv(rows, **dialect):
    text = io.StringIO(newline="")
    csv.writer(text, **dialect).writerows(rows)
    return text.getvalue()


def pairs_of(rows, count):
    """`count` rows of two sentences, as CSV without a header."""
    return "".join(f"{row % rows} kings came,king {row} came\n" for row in range(count))


def test_every_row_and_cell_is_kept_and_three_classes_have_a_probability_each(trained, tmp_path):
    made = trained("entailment")
    file = tmp_path / "in.csv"
    file.write_text(as_csv([NAMES, *ROWS]), newline="")
    done = abcnn("predict", made.folder, "in.csv", "-o", "out.csv", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        "9 rows, 6 scored, 3 without a score (see their notes), 1 sentences cut at 40 tokens\n"
    )
    header, *rows = read_csv((tmp_path / "out.csv").read_text())
    labels = ["contradiction", "neutral", "entailment"]
    assert header == [*NAMES, "score", "label", *(f"p_{label}" for label in labels), "note"]
    assert [row[:4] for row in rows] == ROWS
    assert [row[-1] for row in rows] == NOTES
    for number, row in enumerate(rows):
        score, label, *probabilities = row[4:-1]
        if number not in SCORED:
            assert {score, label, *probabilities} == {""}
            continue
        numbers = [float(value) for value in probabilities]
        assert sum(numbers) == pytest.approx(1)
        assert min(numbers) >= 0
        assert label == labels[int(np.argmax(numbers))]
        assert float(score) == max(numbers)
    assert rows[0][4:] == rows[8][4:]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "out.csv"]


def test_the_map_of_the_scores_is_what_evaluate_says(trained, tmp_path):
    """To the last bit, from the scores as they are written; and the ranks are theirs."""
    made = trained("answer-selection")
    done = abcnn("predict", made.folder, made.test_file, "-o", "out.tsv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    header, *rows = [line.split("\t") for line in (tmp_path / "out.tsv").read_text().splitlines()]
    given = [line.split("\t") for line in made.test_file.read_text().splitlines()]
    assert header == [*given[0], "score", "predicted_label", "rank", "note"]
    assert [row[:5] for row in rows] == given[1:]
    groups, labels = [row[0] for row in rows], [int(row[4]) for row in rows]
    scores = [float(row[5]) for row in rows]
    evaluated = CliRunner().invoke(
        main, ["evaluate", str(made.folder), str(made.test_file), "--json"]
    )
    measures = ranking_measures(groups, labels, scores, candidate_ids=[row[2] for row in rows])
    said = json.loads(evaluated.stdout)
    assert 0 <= said.pop("expected_calibration_error") <= 1
    assert measures.to_dict() == said
    assert measures.map == made.matcher.metrics["test"]["map"]
    for question in set(groups):
        chosen = [row for row in rows if row[0] == question]
        order = sorted(chosen, key=lambda row: -float(row[5]))
        assert [int(row[7]) for row in order] == list(range(1, len(chosen) + 1))
    assert {row[6] for row in rows} <= {"0", "1"}
    threshold = made.matcher.threshold
    assert all((row[6] == "1") == (float(row[5]) >= threshold) for row in rows)


def test_ranks_of_rows_in_any_order_from_a_pipe(trained, tmp_path):
    """A pipe is read once, ranks need two readings; rows without a question have no rank."""
    made = trained("answer-selection")
    lines = ["question_id,question,answer"]
    lines += [f"q{n % 3},Who came?,{'very ' * (n // 3)}late king {n}" for n in range(30)]
    lines += [",Who came?,a king", "q1,,a king"]
    text = "\n".join(lines) + "\n"
    (tmp_path / "in.csv").write_text(text)
    piped = abcnn("predict", made.folder, "-", "-o", "-", cwd=tmp_path, stdin=text)
    assert piped.returncode == 0, piped.stderr
    predict(made.folder, tmp_path / "in.csv", "-o", tmp_path / "out.csv")
    assert piped.stdout == (tmp_path / "out.csv").read_text()
    header, *rows = read_csv(piped.stdout)
    assert header[3:] == ["score", "label", "rank", "note"]
    for question in ("q0", "q1", "q2"):
        ranked = [row for row in rows if row[0] == question and row[3]]
        assert sorted(int(row[5]) for row in ranked) == list(range(1, 11))
        best = min(ranked, key=lambda row: int(row[5]))
        assert float(best[3]) == max(float(row[3]) for row in ranked)
    assert rows[30][3] != ""
    assert rows[30][5:] == ["", "question_id is empty, so there is no rank"]
    assert rows[31][3:] == ["", "", "", "question is empty"]


def test_a_bad_row_of_a_pipe_is_told_as_such(trained, tmp_path):
    text = "question_id,question,answer\nq,Who?,The king\nq,Who?\n"
    arguments = ["predict", str(trained("answer-selection").folder), "-", "-o"]
    done = CliRunner().invoke(main, [*arguments, str(tmp_path / "out.csv")], input=text)
    assert done.exit_code == 1
    assert done.stderr == "Error: <stdin>, row 2 (line 3): expected 3 cells. Received: 2\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("output", ["out.csv", "out.tsv", "out.jsonl", "out.parquet", "out.csv.gz"])
def test_formats(trained, tmp_path, output):
    """Any format in and out: the same values."""
    import pyarrow as pa
    from pyarrow import parquet

    folder = trained("paraphrase").folder
    rows = [[str(n), f"{n} kings came", f"king {n} came" if n % 4 else ""] for n in range(9)]
    names = ["id", "left", "right"]
    as_lines = [json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows]
    files = {
        "in.csv": as_csv([names, *rows], lineterminator="\r\n").encode("utf-8-sig"),
        "in.tsv": "".join("\t".join(row) + "\n" for row in [names, *rows]).encode("utf-16"),
        "in.jsonl.gz": gzip.compress("".join(as_lines).encode()),
        "in.semicolons": as_csv([names, *rows], delimiter=";").encode(),
        "no-header.tsv": "".join("\t".join(row) + "\n" for row in rows).encode(),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    table = pa.table(
        {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    )
    parquet.write_table(table, tmp_path / "in.parquet")

    results = []
    for name in (*files, "in.parquet"):
        options = ["--encoding", "utf-16"] if name == "in.tsv" else []
        options += ["--columns", "_,left,right"] if name == "no-header.tsv" else []
        done = predict(folder, tmp_path / name, "-o", tmp_path / output, *options)
        assert done.stderr.startswith("9 rows, 6 scored, 3 without a score")
        results.append(read_any(tmp_path / output))
    for (header, *body), name in zip(results, (*files, "in.parquet"), strict=True):
        first = "column_1" if name == "no-header.tsv" else "id"
        assert header == [first, "left", "right", "score", "label", "note"]
        assert [[str(cell) for cell in row[:3]] for row in body] == rows
        assert body == results[0][1:]
        assert [row[5] or "" for row in body] == [
            "" if n % 4 else "right is empty" for n in range(9)
        ]


def read_any(path):
    """Header and rows of any table, scores as numbers, empty cells as None."""
    from pyarrow import parquet

    if path.suffix == ".parquet":
        table = parquet.read_table(path)
        rows = [table.column_names, *map(list, zip(*table.to_pydict().values(), strict=True))]
    elif path.suffix == ".jsonl":
        objects = [json.loads(line) for line in path.read_text().splitlines()]
        rows = [list(objects[0]), *(list(one.values()) for one in objects)]
    else:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
        if path.suffix == ".tsv":
            rows = [line.split("\t") for line in text.splitlines()]
        else:
            rows = read_csv(text)
    for row in rows[1:]:
        row[3] = None if row[3] in ("", None) else float(row[3])
        row[4:] = [value or None for value in row[4:]]
    return rows


def test_json_lines_from_stdin_to_stdout(trained):
    lines = '{"premise": "A king.", "hypothesis": "A man.", "n": 3}\n'
    lines += '{"premise": null, "hypothesis": "A man.", "n": [1]}\n'
    done = predict(trained("entailment").folder, "-", "-o", "-", stdin=lines)
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert list(first)[:5] == ["premise", "hypothesis", "n", "score", "label"]
    assert (first["n"], first["note"]) == (3, None)
    assert second == {
        **{"premise": None, "hypothesis": "A man.", "n": [1], "score": None, "label": None},
        **{"p_contradiction": None, "p_neutral": None, "p_entailment": None},
        "note": "premise is empty",
    }


def test_a_table_without_rows_gives_one_without_rows(trained):
    for task, more in (("paraphrase", ""), ("answer-selection", "rank,")):
        done = predict(trained(task).folder, "-", "-o", "-", stdin="qid,question,answer\n")
        assert done.stdout == f"qid,question,answer,score,label,{more}note\n"


def test_result_columns_never_replace_those_of_the_input(trained, tmp_path):
    names = ["left", "right", "score", "label", "note"]
    text = as_csv([names, ["a king", "a man", "9", "x", "y"]])
    done = predict(trained("paraphrase").folder, "-", "-o", "-", stdin=text)
    header, row = read_csv(done.stdout)
    assert header == [*names, "predicted_score", "predicted_label", "predicted_note"]
    assert row[:5] == ["a king", "a man", "9", "x", "y"]
    arguments = ["predict", str(trained("paraphrase").folder), "-", "-o", "-"]
    again = CliRunner().invoke(main, arguments, input=done.stdout)
    assert (again.exit_code, again.stdout) == (1, "")
    assert again.stderr == (
        "Error: <stdin>: the columns `score` and `predicted_score` are both there already, so a "
        "result has no name; rename one\n"
    )


def test_many_columns_and_the_input_as_output(trained, tmp_path):
    names = [*(f"c{n}" for n in range(2_000)), "left", "right"]
    rows = [[str(n) for n in range(2_000)] + ["a king", "a man"]] * 5
    file = tmp_path / "table.csv"
    file.write_text(as_csv([names, *rows]))
    predict(trained("paraphrase").folder, file, "-o", file)
    header, *body = read_csv(file.read_text())
    assert header[:2_002] == names
    assert [row[:2_002] for row in body] == rows
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_one_pair(trained, tmp_path):
    made = trained("entailment")
    pair = ["--left", "A king came.", "--right", "The king is here."]
    done = abcnn("predict", made.folder, *pair, "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    said = made.matcher.predict([("A king came.", "The king is here.")])
    assert list(result) == ["score", "label", "p_contradiction", "p_neutral", "p_entailment"]
    assert result["score"] == pytest.approx(said.scores[0], abs=1e-6)
    assert result["label"] == said.label_names[0]
    lines = predict(made.folder, *pair).stdout.splitlines()
    assert dict(line.split("\t") for line in lines) == {k: str(v) for k, v in result.items()}


def test_a_reader_that_leaves_the_pipe_is_no_error(trained, tmp_path):
    (tmp_path / "in.csv").write_text("left,right\n" + pairs_of(7, 4_000))
    command = command_line("predict", trained("paraphrase").folder, "in.csv", "-o", "-")
    done = subprocess.run(
        ["bash", "-c", f"{' '.join(command)} | head -1"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "left,right,score,label,note\n"
    assert done.stderr == ""


def written(folder):
    """The bytes in temporary outputs so far."""
    return sum(file.stat().st_size for file in folder.glob(".*.part"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_what_ends_in_the_middle_leaves_no_output(trained, tmp_path, number):
    """In the middle of a stream that has no end."""
    (tmp_path / "out.csv").write_text("old")
    rows = "echo left,right; yes 'A king came.,The king came.'"
    with subprocess.Popen(["bash", "-c", rows], stdout=subprocess.PIPE) as feeder:
        folder = trained("paraphrase").folder
        process = start("predict", folder, "-", "-o", "out.csv", cwd=tmp_path, stdin=feeder.stdout)
        feeder.stdout.close()
        while not written(tmp_path) and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(number)
        out, err = process.communicate()
    assert process.returncode in (130, -signal.SIGKILL)
    assert (out, "Traceback" in err) == ("", False)
    if number == signal.SIGINT:
        assert err == "interrupted\n"
    left = files_in(tmp_path)
    assert left.pop("out.csv") == b"old"
    # A process that is killed has no time to tidy up; its file has no name that a reader takes.
    assert [name for name in left if not name.endswith(".part")] == []
    assert bool(left) == (number == signal.SIGKILL)


def test_workers_write_the_same_table(trained, tmp_path):
    """And a table that is interrupted says how to go on, which gives the same again."""
    folder = trained("answer-selection").folder
    rows = "".join(f"q{n % 40},{n % 7} kings came,king {n} came\n" for n in range(3_000))
    (tmp_path / "in.csv").write_text(f"question_id,question,answer\n{rows}")
    arguments = [folder, "in.csv", "--chunk-rows", "300"]
    done = abcnn("predict", *arguments, "-o", "two.csv", "--workers", "2", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert done.stderr.startswith("3,000 rows, 3,000 scored, 0 without a score")

    process = start("predict", *arguments, "-o", "one.csv", "--workers", "1", cwd=tmp_path)
    while not list(tmp_path.glob("one.csv.parts/*.npz")) and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert err == "interrupted: one.csv.parts keeps what is done, --resume goes on\n"
    done = predict(
        *(folder, tmp_path / "in.csv", "--chunk-rows", "300", "-o", tmp_path / "one.csv"),
        *("--workers", "1", "--resume"),
    )
    assert done.stderr.startswith("3,000 rows, 3,000 scored, 0 without a score")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "one.csv", "two.csv"]


def test_a_folder_of_tables(trained, tmp_path):
    (tmp_path / "parts").mkdir()
    for name in ("a", "b"):
        (tmp_path / "parts" / f"{name}.csv").write_text("left,right\n" + pairs_of(7, 20))
    done = predict(trained("paraphrase").folder, tmp_path / "parts", "-o", tmp_path / "out")
    assert done.stderr.startswith("40 rows, 40 scored")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.csv", "b.csv"]


def test_a_full_disk(trained, tmp_path):
    (tmp_path / "in.csv").write_text("left,right\n" + pairs_of(7, 2_000))
    (tmp_path / "out.csv").write_text("old")
    before = files_in(tmp_path)
    done = abcnn(
        *("predict", trained("paraphrase").folder, "in.csv", "-o", "out.csv"),
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, 9_000)),
    )
    assert error_of(done) == "out.csv: cannot be written: File too large"
    assert files_in(tmp_path) == before
    folder = trained("paraphrase").folder
    arguments = ["predict", str(folder), str(tmp_path / "in.csv"), "-o", "/dev/full"]
    full = CliRunner().invoke(main, arguments)
    assert full.stderr == "Error: /dev/full: cannot be written: No space left on device\n"
