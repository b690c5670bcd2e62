"""`abcnn data`: the public corpora and word vectors."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from abcnn.commands.options import json_option

if TYPE_CHECKING:
    from abcnn.corpora.catalogue import Corpus
    from abcnn.corpora.download import Progress


@click.group("data", epilog="Example: abcnn data list")
def command() -> None:
    """Public corpora and word vectors: list, fetch, check."""


@command.command("list", epilog="Example: abcnn data list --files")
@click.option("--files", is_flag=True, help="Name the files of each, too.")
@json_option
def list_corpora(files: bool, as_json: bool) -> None:
    """The corpora and word vectors that `abcnn data fetch` knows."""
    from dataclasses import asdict

    from abcnn.corpora import CATALOGUE

    if as_json:
        click.echo(json.dumps([asdict(corpus) for corpus in CATALOGUE.values()], indent=2))
        return
    width = max(map(len, CATALOGUE))
    for corpus in CATALOGUE.values():
        click.echo(f"{corpus.name.ljust(width)}  {corpus.title}")
        click.echo(f"{'':{width}}  for {corpus.task}; {corpus.licence}; {corpus.page}")
        if files:
            for archive in corpus.archives:
                for file in archive.files or (archive.itself,):
                    click.echo(f"{'':{width}}  {file.name}")


@command.command("fetch", epilog="Example: abcnn data fetch wikiqa --to corpora")
@click.argument("name")
@click.option(
    "--to", "folder", type=click.Path(), default="corpora", help="Folder; NAME is made in it."
)
@click.option("--yes", is_flag=True, help="Agree to the licence without being asked.")
@click.option(
    "--mirror", help="Address of a folder with the same archives, if the usual one fails."
)
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), default=60, help="Seconds of silence."
)
def fetch(name: str, folder: str, yes: bool, mirror: str | None, timeout: float) -> None:
    """Fetch a corpus or word vectors from their publisher, after a look at the licence.

    A cut download goes on where it was; files are checked and unpacked. An archive that you have
    put into the folder by hand is taken from there.
    """
    from abcnn.corpora import corpus_named
    from abcnn.corpora import fetch as fetch_corpus

    corpus = corpus_named(name)
    _agree(corpus, yes)
    for checked in fetch_corpus(corpus, folder, mirror=mirror, progress=_progress, timeout=timeout):
        click.echo(f"{checked.path}: {checked.verdict}")


@command.command("check", epilog="Example: abcnn data check corpora")
@click.argument("folder", type=click.Path())
@click.pass_context
def check(context: click.Context, folder: str) -> None:
    """Whether the files in FOLDER and below it are the published ones.

    Line ends do not count. A file that differs makes the exit code 1.
    """
    from abcnn.corpora import check_folder

    found = check_folder(folder)
    for checked in found:
        click.echo(f"{checked.path}: {checked.verdict}")
    if any(checked.verdict == "differs" for checked in found):
        context.exit(1)


def _agree(corpus: Corpus, yes: bool) -> None:
    from abcnn.errors import InputError

    click.echo(f"{corpus.title}\nlicence: {corpus.licence}\n{corpus.page}", err=True)
    if yes:
        return
    if not sys.stdin.isatty():
        raise InputError("the licence must be agreed to: read it, then add --yes")
    click.confirm("Do you agree to the licence?", abort=True, err=True)


def _progress(name: str) -> Progress:
    """A line on the terminal that tells of an archive; nothing where stderr is no terminal."""
    from abcnn.corpora.download import megabytes

    def show(done: int, total: int | None) -> None:
        if sys.stderr.isatty():
            end = "\r\033[K" if done == total else "\r"
            of = "" if total is None else f" of {megabytes(total)}"
            click.echo(f"\033[K{name}: {megabytes(done)}{of}", nl=False, err=True)
            click.echo(end, nl=False, err=True)

    return show
