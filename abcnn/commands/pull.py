"""`abcnn pull`: a bundle from a model repository."""

from __future__ import annotations

import click

from abcnn.commands.options import quiet_hub


@click.command("pull", epilog="Example: abcnn pull owner/paraphrase runs/paraphrase")
@click.argument("repository", metavar="OWNER/NAME")
@click.argument("folder", type=click.Path())
@click.option("--revision", help="Branch, tag or commit.")
@click.option("--force", is_flag=True, help="Replace a bundle that is there.")
def command(repository: str, folder: str, revision: str | None, force: bool) -> None:
    """Download a bundle from a model repository of the Hugging Face Hub to FOLDER.

    It is checked before it gets its name, and nothing in it is executed when it is used.
    """
    from abcnn.hub import pull

    quiet_hub()
    commit = pull(repository, folder, revision=revision, replace=force)
    click.echo(f"{folder}: {repository} at {commit}", err=True)
