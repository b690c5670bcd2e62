"""Every format of word vectors, written by gensim or by hand, and every way to be damaged."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from abcnn.errors import InputError
from abcnn.text.vector_rows import KeptRows, read_binary_rows
from abcnn.text.vectors import read_vectors

WORDS = ("the", "Paris", "naïve", "日本", "a_b", "1.5", "a\u0085b", "\u00a0x", "-", "</s>")
MATRIX = np.random.default_rng(3).normal(size=(len(WORDS), 7)).astype(np.float32)


def gensim_vectors():
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(7)
    vectors.add_vectors(list(WORDS), MATRIX)
    return vectors


def rows_binary(words=WORDS, matrix=MATRIX, end=b"", header=None):
    head = header or f"{len(words)} {matrix.shape[1]}\n".encode()
    return head + b"".join(
        (word if isinstance(word, bytes) else word.encode()) + b" " + row.tobytes() + end
        for word, row in zip(words, matrix, strict=True)
    )


def rows_text(words=WORDS, matrix=MATRIX, end="\n"):
    return "".join(
        f"{word} {' '.join(map(repr, row.tolist()))}{end}"
        for word, row in zip(words, matrix, strict=True)
    ).encode()


HEADER = f"{len(WORDS)} 7\n".encode()
FORMATS = {
    "word2vec binary": rows_binary(),
    "word2vec binary with newlines": rows_binary(end=b"\n"),
    "word2vec text": HEADER + rows_text(),
    "fastText text": HEADER + rows_text(end=" \n"),
    "GloVe text": rows_text(),
    "text with CR LF": rows_text(end="\r\n"),
    "no last newline": rows_text()[:-1],
}


@pytest.fixture(params=[False, True], ids=["plain", "gzip"])
def write(request, tmp_path):
    """Write a file of some bytes, packed or not; its name says nothing of its format."""

    def file(content: bytes):
        path = tmp_path / "vectors"
        path.write_bytes(gzip.compress(content) if request.param else content)
        return path

    return file


@pytest.mark.parametrize("content", FORMATS.values(), ids=FORMATS.keys())
def test_formats(write, content):
    path = write(content)
    everything = read_vectors(path, ["Paris"])
    assert everything.words == WORDS
    assert everything.dim == 7
    assert everything.matrix.dtype == np.float32
    assert everything.source == str(path)
    np.testing.assert_array_equal(everything.matrix, MATRIX)
    some = read_vectors(path, ["1.5", "Paris", "paris", "dog"], most_frequent=0)
    assert some.words == ("Paris", "1.5")
    np.testing.assert_array_equal(some.matrix, MATRIX[[1, 5]])
    assert read_vectors(path, ["-"], most_frequent=2).words == ("the", "Paris", "-")
    assert read_vectors(path, [], most_frequent=3).words == WORDS[:3]


@pytest.mark.parametrize("binary", [True, False])
def test_what_gensim_writes_in_word2vec_format(tmp_path, binary):
    gensim_vectors().save_word2vec_format(str(tmp_path / "v"), binary=binary)
    vectors = read_vectors(tmp_path / "v", WORDS, most_frequent=0)
    assert vectors.words == WORDS
    np.testing.assert_array_equal(vectors.matrix, MATRIX)


@pytest.mark.parametrize("apart", [True, False])
def test_what_gensim_saves(tmp_path, apart):
    path = tmp_path / "vectors.kv"
    # Big arrays go to files beside it.
    gensim_vectors().save(str(path), **({"sep_limit": 0} if apart else {}))
    assert (tmp_path / "vectors.kv.vectors.npy").exists() is apart
    vectors = read_vectors(path, ["Paris", "dog"], most_frequent=1)
    assert vectors.words == ("the", "Paris")
    np.testing.assert_array_equal(vectors.matrix, MATRIX[:2])
    assert type(vectors.matrix) is np.ndarray


def test_a_whole_gensim_model(tmp_path):
    from gensim.models import Word2Vec

    model = Word2Vec([["a", "b", "c"]] * 3, vector_size=4, min_count=1, workers=1)
    model.save(str(tmp_path / "model"))
    vectors = read_vectors(tmp_path / "model", ["b"], most_frequent=0)
    np.testing.assert_array_equal(vectors.matrix, [model.wv["b"]])


@pytest.mark.parametrize("count", [1, 2, 3])
def test_one_value_or_one_row(tmp_path, count):
    words, matrix = WORDS[:count], np.full((count, 1), 0.3, np.float32)
    for content in (rows_binary(words, matrix), f"{count} 1\n".encode() + rows_text(words, matrix)):
        (tmp_path / "v").write_bytes(content)
        vectors = read_vectors(tmp_path / "v", ["the"])
        assert vectors.words == words
        np.testing.assert_array_equal(vectors.matrix, matrix)


def test_rows_that_straddle_blocks(tmp_path, monkeypatch):
    from abcnn.text import vector_rows

    for end in (b"", b"\n"):
        (tmp_path / "v").write_bytes(rows_binary(end=end))
        for block in (1, 2, 5, 28, 29, 33, 64):
            monkeypatch.setattr(vector_rows, "BLOCK", block)
            vectors = read_vectors(tmp_path / "v", ["the"])
            assert vectors.words == WORDS
            np.testing.assert_array_equal(vectors.matrix, MATRIX)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.one_of(
                st.sampled_from([b"a", b"b", b"ab", b"", b"\xff", b"x\ny", b"n\xc3\xa4"]),
                st.binary(max_size=6).map(lambda word: word.replace(b" ", b"")),
            ),
            st.sampled_from([b"\x00\x00\x80?", b" \n\x00\x00", b"a  \x00"]),
        ),
        min_size=1,
        max_size=30,
    ),
    newline=st.booleans(),
    first=st.integers(0, 8),
    block=st.integers(1, 90),
    cut=st.integers(0, 20),
    wanted=st.sets(st.sampled_from(["a", "b", "ab", "", "nä", "x\ny", "none"])),
)
def test_the_scan_of_blocks_is_a_loop_over_rows(rows, newline, first, block, cut, wanted):
    """Blocks that end anywhere: the same rows, skipped words and cuts as of one row at a time."""
    from abcnn.text import vector_rows

    dim, end = 3, b"\n" if newline else b""
    # Without newlines a second word that begins with one reads as if there were.
    assume(newline or len(rows) < 2 or not rows[1][0].startswith(b"\n"))
    content = b"".join(word + b" " + value * dim + end for word, value in rows)
    content = content[: len(content) - cut]
    expected = KeptRows(wanted, first, dim)
    whole, place = 0, 0
    for number, (word, value) in enumerate(rows):
        place += len(word) + 1 + 4 * dim + (newline and number > 0)
        if place > len(content):
            break
        if number < first or word in expected.wanted:
            expected.add([word], np.frombuffer(value * dim, "<f4")[None])
        whole += 1
    found = KeptRows(wanted, first, dim)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_rows, "BLOCK", block)
        read = partial(read_binary_rows, io.BytesIO(content), "v", len(rows), dim, found)
        if whole == len(rows):
            read()
        else:
            with pytest.raises(InputError, match=rf"row {whole + 1}|after {whole} rows"):
                read()
    assert (found.words, found.skipped) == (expected.words, expected.skipped)
    assert found.wanted == expected.wanted
    np.testing.assert_array_equal(found.matrix(), expected.matrix())


def test_the_first_of_two_rows_counts(write):
    words, matrix = ("a", "b", "a", "c", "b"), np.arange(1, 11, dtype=np.float32).reshape(5, 2)
    for content in (rows_binary(words, matrix), rows_text(words, matrix)):
        for most_frequent in (0, 2, 3, 50):
            vectors = read_vectors(write(content), ["a", "b", "c"], most_frequent=most_frequent)
            assert vectors.words == ("a", "b", "c")
            np.testing.assert_array_equal(vectors.matrix, matrix[[0, 1, 3]])


def test_words_with_spaces_in_text(write):
    words = (".", ". . .", "at", "at a@b.com", "1 /2", "end")
    matrix = np.arange(1, 13, dtype=np.float32).reshape(6, 2)
    vectors = read_vectors(write(rows_text(words, matrix)), ["end"])
    assert vectors.words == words
    np.testing.assert_array_equal(vectors.matrix, matrix)
    path = write(b"6 2\n" + rows_text(words, matrix))
    assert read_vectors(path, [".", "at", "/2"], most_frequent=0).words == (".", "at")


def test_words_that_are_no_text_are_skipped_and_counted(write):
    words = [b"caf\xc3", b"ok", b"", b"\xff\xfe", "é".encode()]
    matrix = np.arange(1, 11, dtype=np.float32).reshape(5, 2)
    lines = b"".join(w + b" %g %g\n" % tuple(row) for w, row in zip(words, matrix, strict=True))
    for content in (rows_binary(words, matrix), lines, b"5 2\n" + lines):
        vectors = read_vectors(write(content), ["é"])
        assert vectors.words == ("ok", "é")
        assert vectors.skipped == 3
        np.testing.assert_array_equal(vectors.matrix, matrix[[1, 4]])


def test_words_with_control_characters(write):
    words, matrix = ("\x1b[0m", "\x07", "the"), np.arange(1, 7, dtype=np.float32).reshape(3, 2)
    for content in (rows_binary(words, matrix), b"3 2\n" + rows_text(words, matrix)):
        vectors = read_vectors(write(content), ["the"])
        assert vectors.words == words
        np.testing.assert_array_equal(vectors.matrix, matrix)


def test_half_a_surrogate_pair_is_in_no_file(write):
    assert read_vectors(write(FORMATS["GloVe text"]), ["\ud800", "the"]).words == WORDS


BINARY, TEXT = FORMATS["word2vec binary"], FORMATS["word2vec text"]
SPECIAL = MATRIX.copy()
SPECIAL[1, 2] = np.nan
DAMAGED = {
    "empty": (b"", "expected word vectors. Received: an empty file"),
    "blank": (b" \n\n", "Received: an empty file"),
    "html": (b"\n<!DOCTYPE html><title>404</title>", "Received: HTML"),
    "html without doctype": (b"<HTML><body>", "Received: HTML"),
    "zip": (b"PK\x03\x04" + bytes(99), "Received: a zip archive"),
    "prose": (b"version https://example.org/spec\n", "line 1: expected a header .*'https://ex"),
    "one word": (b"word\n", "line 1: expected a header .* Received: 'word'"),
    "other binary": (bytes(range(14, 256)) * 99, "line 1: expected a header"),
    "binary, fewer rows": (
        BINARY.replace(b"10 7\n", b"12 7\n"),
        "says 12 rows of 7 values, but the file ends after 10 rows; is it cut?",
    ),
    "binary, more rows": (
        BINARY.replace(b"10 7\n", b"9 7\n"),
        "9 rows of 7 values. Received: more",
    ),
    "binary, cut in a row": (BINARY[:-3], "ends in the middle of row 10; is it cut?"),
    "binary, cut in a word": (BINARY[:-30], "ends in the middle of row 10; is it cut?"),
    "binary, header only": (b"10 7\n", "ends after 0 rows"),
    "binary, no space": (b"2 2\n" + b"\x00" * 99_999, "row 1: expected a word, a space and 2"),
    "text, fewer rows": (TEXT.replace(b"10 7\n", b"11 7\n"), "11 rows .* ends after 10 rows"),
    "text, more rows": (TEXT.replace(b"10 7\n", b"9 7\n"), "9 rows .* Received: 10 rows"),
    "text, too few values": (
        b"a 1 2 3\nb 1 2 3\nc 1 2\nd 1 2 3\n",
        "line 3: every vector must have 3 values, .* Received: 2$",
    ),
    "text, too many values": (b"2 2\na 1 2\nb 1 2 3.5\n", "line 3: .* 2 values, .* Received: 3$"),
    "text, cut in a row": (b"2 2\na 1 2\nb 1", "line 3: .* Received: 1 at the end .*is it cut"),
    "text, no number": (b"a 1 2\nb 1 x\n", "line 2: expected a number. Received: 'x'"),
    "text, no number in line 1": (b"a 1 two\nb 1 2\n", "line 1: expected a header.*'two'"),
    "text, no number after a header": (b"1 2\na 1 x\n", "line 2: expected a number.*'x'"),
    "text, NaN": (b"a 1 2\nb 1 nan\n", "the vector of 'b' must be finite.* Received: NaN"),
    "text, infinite": (b"2 2\na 1 -inf\nb 1 1\n", "the vector of 'a' must be finite"),
    "text, too large": (b"a 1 1e39\n", "the vector of 'a' must be finite"),
    "binary, NaN": (rows_binary(matrix=SPECIAL), "the vector of 'Paris' must be finite"),
    "no values": (b"10 0\na\n", "line 1: vectors must have between 1 and 10,000 .*Received: 0"),
    "absurd size": (b"10 400000\na 1\n", "between 1 and 10,000 values. Received: 400,000"),
    "absurd line": (b"a" + b" 1" * 10_001 + b"\n", "Received: 10,001"),
    "another language": (
        rows_text(("der", "die"), MATRIX[:2]),
        "none of the 3 words was found; is it the right language",
    ),
}


@pytest.mark.parametrize(("content", "message"), DAMAGED.values(), ids=DAMAGED.keys())
def test_damaged_files(write, content, message):
    path = write(content)
    with pytest.raises(InputError, match=message) as raised:
        read_vectors(path, ["the", "a", "b"])
    assert str(raised.value).startswith(str(path))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [BINARY, TEXT])
def test_a_gzip_file_cut_or_altered(tmp_path, content):
    packed = bytearray(gzip.compress(content))
    (tmp_path / "cut").write_bytes(packed[:-20])
    packed[40] ^= 0xFF
    (tmp_path / "altered").write_bytes(packed)
    for name in ("cut", "altered"):
        with pytest.raises(InputError, match=rf"{name}: damaged gzip file"):
            read_vectors(tmp_path / name, ["the"])


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"none.bin: No such file or directory$"):
        read_vectors(tmp_path / "none.bin", ["the"])
    with pytest.raises(InputError, match=r"Is a directory$"):
        read_vectors(tmp_path, ["the"])


def test_gensim_files_that_are_none(tmp_path):
    import pickle

    path = tmp_path / "vectors.kv"
    gensim_vectors().save(str(path), sep_limit=0)
    (tmp_path / "vectors.kv.vectors.npy").unlink()
    (tmp_path / "list").write_bytes(pickle.dumps([1, 2]))
    (tmp_path / "cut").write_bytes(path.read_bytes()[:-9])
    for name in ("vectors.kv", "list", "cut"):
        with pytest.raises(InputError, match=rf"{name}: expected gensim's KeyedVectors") as raised:
            read_vectors(tmp_path / name, ["the"])
        assert "\n" not in str(raised.value)


# Not `ru_maxrss`, which begins with the peak of the process that started this one.
MEASURE = r"""
import json, re, sys
from pathlib import Path
from abcnn.text.vectors import read_vectors
read_vectors(sys.argv[2], ["w1"], most_frequent=0)
def peak():
    return int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1]) / 1024
before = peak()
vectors = read_vectors(sys.argv[1], {f"w{i}" for i in range(0, 300_000, 300)}, most_frequent=0)
print(json.dumps([len(vectors), float(vectors.matrix[-1, 0]), peak() - before]))
"""


def test_memory_is_that_of_the_rows_kept(tmp_path):
    """300,000 x 100 in 120 MB, of which 1,000 rows in 0.4 MB are kept."""
    small = tmp_path / "small"
    small.write_bytes(rows_binary(["w1"], MATRIX[:1]))
    rows = np.random.default_rng(0).normal(size=(1000, 100)).astype(np.float32)
    with (tmp_path / "large").open("wb") as file:
        file.write(b"300000 100\n")
        for start in range(0, 300_000, 1000):
            file.writelines(b"w%d " % (start + i) + rows[i].tobytes() for i in range(1000))
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(tmp_path / "large"), str(small)],
        capture_output=True,
        text=True,
        check=True,
    )
    kept, value, megabytes = json.loads(done.stdout)
    assert kept == 1000
    assert value == rows[299_700 % 1000, 0]
    assert megabytes < 60


@pytest.mark.corpora
@pytest.mark.parametrize(
    ("file", "rows", "dim", "the"),
    [
        ("glove.6B.50d.subset.bin", 89_053, 50, [0.418, 0.24968, -0.41242, 0.1217]),
        ("glove.6B.100d.wink.subset.bin", 82_308, 100, [-0.038194, -0.24487, 0.72812, -0.39961]),
        ("spacy_en_core_web_md_300d.subset.bin.gz", 107_585, 300, [-5.1043, 2.3496, 3.2472]),
    ],
)
def test_real_vectors(corpora, file, rows, dim, the):
    path = corpora / "vectors" / file
    vectors = read_vectors(path, ["the", "physicist"], most_frequent=100)
    assert len(vectors) == 101
    assert vectors.words[-1] == "physicist"
    assert vectors.dim == dim
    np.testing.assert_allclose(vectors.matrix[vectors.words.index("the")][: len(the)], the)
    assert len(read_vectors(path, [], most_frequent=10**6)) == rows
