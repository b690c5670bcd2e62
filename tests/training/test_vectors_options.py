"""Vectors brought to one length, of which some are trained: in the bundle, in both engines."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from abcnn.bundle import load_bundle
from abcnn.readers import read_pairs
from abcnn.tasks import TASKS
from abcnn.text.tokenizer import Tokenizer
from abcnn.text.vocabulary import OOV
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions
from tests.trained import SAMPLES


def test_a_bundle_holds_the_vectors_as_they_were_trained(tmp_path):
    files = {
        f"{part}_file": str(SAMPLES / "paraphrase" / f"{part}.tsv") for part in ("train", "dev")
    }
    read = {name: read_pairs(file).pairs for name, file in files.items()}
    pairs, dev = read["train_file"], read["dev_file"]
    tokenize = Tokenizer("word", False)
    counts = Counter(
        word for text in dict.fromkeys([*pairs.left, *pairs.right]) for word in tokenize(text)
    )
    generator = np.random.default_rng(0)
    lines = [
        " ".join([word, *map(str, generator.normal(3, 5, 6).round(3))])
        for word, _ in counts.most_common(40)
    ]
    (tmp_path / "vectors.txt").write_text("\n".join([*lines, "zero 0 0 0 0 0 0"]) + "\n")
    options = TrainingOptions(
        **{"model": "bcnn", "filters": 4, "batch_size": 64, "epochs": 2, "optimizer": "adamw"},
        normalize_vectors="center",
        train_frequent_words=12,
        word_dropout=0.1,
    )
    trained = train_files(
        TASKS["paraphrase"],
        tmp_path / "out",
        options=options,
        vectors=tmp_path / "vectors.txt",
        device="cpu",
        **files,
    )
    loaded = load_bundle(tmp_path / "out")
    table = loaded.weights["vectors/embeddings"]
    np.testing.assert_array_equal(table, trained.matcher.weights["vectors/embeddings"])
    words = loaded.encoder.vocabulary.words
    rows = dict(zip(words, table[OOV + 1 :], strict=True))
    lengths = {word: float(np.linalg.norm(rows[word])) for word, _ in counts.most_common(40)}
    common = [word for word, _ in counts.most_common(12)]
    # Twelve were trained, and so are of another length than they were; the others stay.
    assert all(abs(lengths[word] - 1) > 1e-6 for word in common)
    frozen = [word for word, count in counts.most_common(40) if count < counts[common[-1]]]
    np.testing.assert_allclose([lengths[word] for word in frozen], 1, atol=1e-6)
    assert not rows["zero"].any()
    assert loaded.about["vectors"].endswith("their mean subtracted, then brought to the length 1")

    np.testing.assert_allclose(
        loaded.predict(dev).scores,
        replace(loaded, engine="keras").predict(dev).scores,
        atol=1e-5,
    )
