"""`abcnn embeddings`: word vectors of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from abcnn.commands.options import reading_options, require_folder_of
from abcnn.errors import InputError


@click.group("embeddings", epilog="Example: abcnn embeddings train pairs.csv -o vectors.bin")
def command() -> None:
    """Word vectors: train them on text of your own."""


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
@click.option(
    "--tokenizer",
    "kind",
    type=click.Choice(["word", "whitespace", "character"]),
    default="word",
    help="What a token is; use the same when training a model.",
)
@click.option("--lowercase", is_flag=True, help="Lower-case the text.")
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

    from abcnn.readers import read_pairs
    from abcnn.text.tokenizer import Tokenizer
    from abcnn.text.word2vec import train_vectors, write_vectors

    tokenizer = Tokenizer(kind, lowercase)
    sentences: dict[str, None] = {}
    for file in files:
        pairs = read_pairs(file, **reading).pairs
        sentences |= dict.fromkeys(pairs.left) | dict.fromkeys(pairs.right)
    tokens = [tokenizer(sentence) for sentence in sentences]
    count = sum(map(len, tokens))
    click.echo(f"{len(tokens):,} different sentences, {count:,} tokens", err=True)
    vectors = train_vectors(tokens, **settings)
    write_vectors(vectors, output)
    click.echo(f"{output}: {len(vectors):,} words x {vectors.dim}", err=True)
