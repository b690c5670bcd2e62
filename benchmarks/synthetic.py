"""Pairs, bundles and cross-encoders of random numbers, with the sizes of real ones."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import onnx

# Tokens of WikiQA's training questions and answers at every twentieth part of the pairs, and the
# candidates of a question (measured with this package's tokeniser).
QUESTION_LENGTHS = (2, 4, 4, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 10, 12, 23)
ANSWER_LENGTHS = (
    *(1, 9, 11, 13, 15, 16, 18, 19, 20, 22, 23, 25, 26, 28, 30, 32, 35, 38, 42, 48, 266),
)
CANDIDATES = 10
MAX_LENGTH = 40


def words(number: int) -> list[str]:
    """Different words of letters, the first ones short as the frequent ones of a language are."""
    syllables = [first + second for first in "bcdfghklmnprstvw" for second in "aeiou"]
    made = []
    for index in range(number):
        word, rest = syllables[index % 80], index // 80
        while rest:
            word, rest = word + syllables[rest % 80], rest // 80
        made.append(word)
    return made


class Pairs:
    """Pairs of sentences with WikiQA's lengths, and words as frequent as Zipf's law has them."""

    def __init__(self, vocabulary: list[str], seed: int = 0) -> None:
        self._words = np.array(vocabulary, dtype=object)
        shares = 1 / (np.arange(len(vocabulary)) + 2.7)
        self._cumulative = np.cumsum(shares / shares.sum())
        self._generator = np.random.default_rng(seed)

    def _sentence(self, quantiles: tuple[int, ...], mark: str) -> str:
        place = self._generator.uniform(0, len(quantiles) - 1)
        length = round(float(np.interp(place, np.arange(len(quantiles)), quantiles)))
        plain = max(length - 1 - length // 14, 1)  # marks are tokens too
        drawn = np.searchsorted(self._cumulative, self._generator.random(plain))
        chosen = self._words[np.minimum(drawn, len(self._words) - 1)].tolist()
        for index in range(6, plain - 1, 13):
            chosen[index] += ","
        return " ".join(chosen).capitalize() + mark

    def __iter__(self) -> Iterator[tuple[str, str]]:
        while True:
            question = self._sentence(QUESTION_LENGTHS, "?")
            for _ in range(CANDIDATES):
                yield question, self._sentence(ANSWER_LENGTHS, ".")


def write_pairs(path: Path, vocabulary: list[str], number: int) -> list[tuple[str, str]]:
    """Write a CSV of pairs, with the columns `left` and `right`; the same pairs for all numbers."""
    pairs = [pair for pair, _ in zip(Pairs(vocabulary), range(number), strict=False)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("left", "right"))
        writer.writerows(pairs)
    return pairs


def save_bundle(folder: Path, vocabulary: list[str], model: str, dim: int = 300) -> None:
    """A bundle for answer selection with random weights: one convolution layer, default options."""
    from abcnn.features.encoder import PairEncoder
    from abcnn.features.pair_features import PairFeatures
    from abcnn.network_config import NetworkConfig
    from abcnn.runtime import weight_shapes
    from abcnn.scoring.matcher import Matcher
    from abcnn.tasks import TASKS
    from abcnn.text.tokenizer import Tokenizer
    from abcnn.text.vocabulary import Vocabulary

    task, tokenizer = TASKS["answer-selection"], Tokenizer()
    some = [pair for pair, _ in zip(Pairs(vocabulary, seed=1), range(20_000), strict=False)]
    left, right = ([tokenizer(pair[side]) for pair in some] for side in (0, 1))
    known = Vocabulary(tuple(vocabulary))
    config = NetworkConfig(
        *(len(known), dim, len(task.features), 1, task.scores), model=model, max_length=MAX_LENGTH
    )
    generator = np.random.default_rng(0)
    weights = {
        name: (generator.normal(size=shape) / np.sqrt(shape[-2] if len(shape) > 1 else 1)).astype(
            np.float32
        )
        for name, shape in weight_shapes(config).items()
    }
    Matcher(
        task=task,
        labels=("0", "1"),
        threshold=0.5,
        encoder=PairEncoder(
            tokenizer, known, PairFeatures.fit(task.features, left, right), MAX_LENGTH
        ),
        config=config,
        weights=weights,
    ).save(folder)


def cross_encoder(
    layers: int = 6, dim: int = 384, heads: int = 12, words: int = 30_522
) -> onnx.ModelProto:
    """A transformer encoder with random weights and one score, sized as MiniLM-L6's.

    Input `ids`, int64 `(batch, length)`, of sentences of one length; output `score` `(batch, 1)`.
    """
    from onnx import TensorProto, helper, numpy_helper

    generator = np.random.default_rng(0)
    nodes: list[onnx.NodeProto] = []
    constants: list[onnx.TensorProto] = []

    def constant(values: np.ndarray) -> str:
        constants.append(numpy_helper.from_array(values, f"constant_{len(constants)}"))
        return constants[-1].name

    def apply(kind: str, *inputs: str, **attributes: object) -> str:
        output = f"{kind.lower()}_{len(nodes)}"
        nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def dense(values: str, size: int, to: int) -> str:
        kernel = (generator.normal(size=(size, to)) / np.sqrt(size)).astype(np.float32)
        product = apply("MatMul", values, constant(kernel))
        return apply("Add", product, constant(np.zeros(to, np.float32)))

    def normalised(values: str) -> str:
        scale, shift = np.ones(dim, np.float32), np.zeros(dim, np.float32)
        return apply("LayerNormalization", values, constant(scale), constant(shift), axis=-1)

    apart = constant(np.array([0, 0, heads, dim // heads], np.int64))
    joined = constant(np.array([0, 0, dim], np.int64))

    def split(values: str, order: tuple[int, ...]) -> str:
        return apply("Transpose", apply("Reshape", values, apart), perm=order)

    table = generator.normal(size=(words, dim)).astype(np.float32)
    values = normalised(apply("Gather", constant(table), "ids"))
    for _ in range(layers):
        query = split(dense(values, dim, dim), (0, 2, 1, 3))
        key = split(dense(values, dim, dim), (0, 2, 3, 1))
        content = split(dense(values, dim, dim), (0, 2, 1, 3))
        scale = constant(np.array(np.sqrt(dim // heads), np.float32))
        attention = apply("Softmax", apply("Div", apply("MatMul", query, key), scale), axis=-1)
        mixed = apply("Transpose", apply("MatMul", attention, content), perm=(0, 2, 1, 3))
        values = normalised(apply("Add", values, dense(apply("Reshape", mixed, joined), dim, dim)))
        hidden = apply("Gelu", dense(values, dim, 4 * dim))
        values = normalised(apply("Add", values, dense(hidden, 4 * dim, dim)))
    first = apply("Gather", values, constant(np.array(0, np.int64)), axis=1)
    nodes.append(helper.make_node("Identity", [dense(first, dim, 1)], ["score"]))
    graph = helper.make_graph(
        nodes,
        "cross_encoder",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "length"])],
        [helper.make_tensor_value_info("score", TensorProto.FLOAT, ["batch", 1])],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
