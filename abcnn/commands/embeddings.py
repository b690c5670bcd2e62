"""`abcnn embeddings`: word vectors of one's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abcnn.commands.options import (
    json_option,
    reading_options,
    require_folder_of,
    vectors_option,
)
from abcnn.errors import InputError

if TYPE_CHECKING:
    from abcnn.pairs import PairBatch


def tokenizer_options(command: Callable) -> Callable:
    """What a token of the text is."""
    command = click.option("--lowercase", is_flag=True, help="Lower-case the text.")(command)
    return click.option(
        "--tokenizer",
        "kind",
        type=click.Choice(["word", "whitespace", "character"]),
        default="word",
        help="What a token is; use the same when training a model.",
    )(command)


@click.group("embeddings", epilog="Example: abcnn embeddings train pairs.csv -o vectors.bin")
def command() -> None:
    """Word vectors: train them on text of your own, look at them, see what they cover."""


@command.command("train", epilog="Example: abcnn embeddings train pairs.csv -o vectors.bin")
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="Where the vectors go: word2vec binary if the name ends in .bin, else word2vec text.",
)
@click.option("--dim", type=click.IntRange(1, 10_000), default=100, help="Size of a vector.")
@click.option(
    "--window",
    type=click.IntRange(1),
    default=5,
    help="Words to the left and right that are context.",
)
@click.option("--min-count", type=click.IntRange(1), default=1, help="Rarer words get no vector.")
@click.option("--epochs", type=click.IntRange(1), default=20, help="Times the text is read.")
@click.option("--seed", type=click.IntRange(0), default=0, help="Seed of the random numbers.")
@tokenizer_options
@click.option("--force", is_flag=True, help="Replace the output if it exists.")
@reading_options
def train(
    files: tuple[str, ...],
    output: Path,
    kind: str,
    lowercase: bool,
    force: bool,
    reading: dict[str, Any],
    **settings: int,
) -> None:
    """Train word vectors (word2vec, skip-gram) on the sentences of FILES.

    FILES are files of sentence pairs in any format that `abcnn train` reads; labels are not needed.
    A sentence that comes several times, as a question does with each of its answers, counts once.
    """
    if output.exists() and not force:
        raise InputError(f"{output}: exists already; --force replaces it")
    require_folder_of(str(output))  # Known before the training, not after it.

    from abcnn.text.tokenizer import Tokenizer
    from abcnn.text.word2vec import train_vectors, write_vectors

    tokenizer = Tokenizer(kind, lowercase)
    sentences: dict[str, None] = {}
    for file in files:
        pairs = read_pairs_of(file, reading)
        sentences |= dict.fromkeys(pairs.left) | dict.fromkeys(pairs.right)
    tokens = [tokenizer(sentence) for sentence in sentences]
    count = sum(map(len, tokens))
    click.echo(f"{len(tokens):,} different sentences, {count:,} tokens", err=True)
    vectors = train_vectors(tokens, **settings)
    write_vectors(vectors, output)
    click.echo(f"{output}: {len(vectors):,} words x {vectors.dim}", err=True)


@command.command(
    "neighbours", epilog="Example: abcnn embeddings neighbours doctor --vectors glove.txt"
)
@click.argument("word")
@click.option("--vectors", required=True, type=click.Path(), help="File of word vectors.")
@click.option("--count", type=click.IntRange(1, 10_000), default=10, help="Neighbours shown.")
@click.option(
    "--frequent-words",
    type=click.IntRange(1),
    default=50_000,
    help="Words looked at, from the beginning of the file, where the frequent ones are.",
)
@json_option
def neighbours(word: str, vectors: str, count: int, frequent_words: int, as_json: bool) -> None:
    """Show the words whose vectors are nearest to that of WORD, by cosine."""
    from abcnn.text.nearest import nearest_words
    from abcnn.text.vectors import read_vectors
    from abcnn.text.vocabulary import with_lower_case

    found = nearest_words(
        read_vectors(vectors, with_lower_case([word]), most_frequent=frequent_words), word, count
    )
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], ensure_ascii=False))
        return
    for one in found:
        click.echo(f"{one.cosine:.4f}\t{one.word}")


@command.command(
    "coverage", epilog="Example: abcnn embeddings coverage --vectors glove.txt pairs.csv"
)
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@vectors_option(required=True)
@tokenizer_options
@click.option("--missing", type=click.IntRange(0), default=10, help="Uncovered words listed.")
@json_option
@reading_options
def coverage(
    files: tuple[str, ...],
    vectors: tuple[str, ...],
    kind: str,
    lowercase: bool,
    missing: int,
    as_json: bool,
    reading: dict[str, Any],
) -> None:
    """Show how many words of FILES, files of pairs, have a vector.

    A word counts as found as it is or lower-cased, as in training. Types are different words,
    tokens all of them. Of several --vectors each is told, and what they know together.
    """
    from collections import Counter

    from abcnn.text.lexicon import coverage as coverage_of
    from abcnn.text.tokenizer import Tokenizer
    from abcnn.text.vectors import read_vectors
    from abcnn.text.vocabulary import with_lower_case

    counts: dict[str, Counter[str]] = {}
    tokenizer = Tokenizer(kind, lowercase)
    for file in files:
        pairs = read_pairs_of(file, reading)
        counts[file] = Counter(
            token for text in (*pairs.left, *pairs.right) for token in tokenizer(text)
        )
    total = sum(counts.values(), Counter[str]())
    sets = {
        file: frozenset(read_vectors(file, with_lower_case(total), most_frequent=0).words)
        for file in vectors
    }
    known = frozenset().union(*sets.values())
    unknown = [
        (word, count)
        for word, count in total.most_common()
        if word not in known and word.lower() not in known
    ][:missing]
    parts = counts if len(files) == 1 else counts | {"all files": total}
    found = {name: coverage_of(words, known) for name, words in parts.items()}
    of_sets = {file: coverage_of(total, words) for file, words in sets.items()}
    if as_json:
        record = {
            "files": {name: asdict(one) for name, one in found.items()},
            "vectors": {file: asdict(one) for file, one in of_sets.items()},
        }
        click.echo(json.dumps(record | {"missing": dict(unknown)}, indent=2, ensure_ascii=False))
        return
    for name, one in found.items():
        click.echo(f"{name}: {one}")
    for file, one in of_sets.items() if len(sets) > 1 else ():
        click.echo(f"{file} alone: {one}")
    if unknown:
        click.echo("most frequent without a vector:")
        for word, count in unknown:
            click.echo(f"{count:>8,}  {word}")


def read_pairs_of(file: str, reading: dict[str, Any]) -> PairBatch:
    """The pairs of a file whose labels do not matter."""
    from abcnn.readers import read_pairs

    return read_pairs(file, **reading).pairs
