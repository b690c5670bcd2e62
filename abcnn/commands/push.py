"""`abcnn push`: a bundle to a model repository."""

from __future__ import annotations

import click

from abcnn.commands.options import quiet_hub


@click.command(
    "push", epilog="Example: abcnn push runs/demo/paraphrase owner/paraphrase --licence mit"
)
@click.argument("folder", type=click.Path())
@click.argument("repository", metavar="OWNER/NAME")
@click.option(
    "--licence",
    required=True,
    help="Licence of the model, by its name on the Hub: mit, cc-by-nc-sa-3.0, other, ...",
)
@click.option("--private", is_flag=True, help="If the repository is made: only for you to see.")
@click.option("--message", default="Upload an abcnn bundle", help="What the commit says.")
def command(folder: str, repository: str, licence: str, private: bool, message: str) -> None:
    """Upload the bundle in FOLDER to a model repository of the Hugging Face Hub.

    A licence of the training data may bind the model too. `hf auth login` says who you are.
    """
    from abcnn.hub import push

    quiet_hub()
    click.echo(push(folder, repository, licence=licence, private=private, message=message))
