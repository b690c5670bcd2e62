"""Bundles in model repositories of the Hugging Face Hub (extra `hub`)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from abcnn.bundle import BUNDLE_FILES, CARD, read_config, was_bundle
from abcnn.bundle.files import whole_folder
from abcnn.errors import AbcnnError, BundleError, InputError, RemoteError, require


def push(
    folder: str | PathLike[str],
    repository: str,
    *,
    licence: str,
    private: bool = False,
    message: str = "Upload an abcnn bundle",
) -> str:
    """Upload a bundle in one commit to `repository`, `owner/name`, made if there is none; its URL.

    `licence` is that of the model by its name on the Hub, and goes into the card. Who uploads is
    whom `hf auth login` or `HF_TOKEN` says.

    Raises BundleError for a folder that is no whole bundle, RemoteError for what the Hub refuses.
    """
    hub = require("huggingface_hub", "hub")
    read_config(folder)
    folder = Path(folder)
    files: dict[str, str | bytes] = {name: str(folder / name) for name in sorted(BUNDLE_FILES)}
    files[CARD] = _licensed_card(folder / CARD, licence).encode()
    with _hub_failures(repository):
        api = hub.HfApi(library_name="abcnn")
        api.create_repo(repository, private=private, exist_ok=True)
        commit = api.create_commit(
            repository,
            [hub.CommitOperationAdd(name, content) for name, content in files.items()],
            commit_message=message,
        )
    return str(commit.commit_url)


def pull(
    repository: str,
    folder: str | PathLike[str],
    *,
    revision: str | None = None,
    replace: bool = False,
) -> str:
    """Download the bundle of `repository` to `folder`; the commit that it is of.

    `revision` is a branch, a tag or a commit. The bundle is checked as `read_config` does before it
    gets its name, so that a cut or foreign one replaces nothing; with `replace` a bundle that is
    there already is exchanged, and anything else is left alone.

    Raises InputError when the folder is not free, RemoteError when there is no whole bundle.
    """
    hub = require("huggingface_hub", "hub")
    place = Path(folder)
    place = place.resolve() if place.is_symlink() else place
    _require_free(place, replace)
    with whole_folder(place, replace=replace) as part:
        with _hub_failures(repository):
            api = hub.HfApi(library_name="abcnn")
            found = api.model_info(repository, revision=revision)
            names = {file.rfilename for file in found.siblings or ()}
            if missing := sorted(BUNDLE_FILES - {CARD} - names):
                raise RemoteError(f"{repository}: is no bundle of abcnn: {missing[0]} is missing")
            # All of one commit, whatever is pushed meanwhile.
            for name in sorted(BUNDLE_FILES & names):
                api.hf_hub_download(repository, name, revision=found.sha, local_dir=part)
        shutil.rmtree(part / ".cache", ignore_errors=True)
        try:
            read_config(part)
        except BundleError as error:
            raise RemoteError(str(error).replace(str(part), repository)) from None
    return str(found.sha)


def _licensed_card(path: Path, licence: str) -> str:
    """The card with the licence in its front matter, whatever the user has made of the rest."""
    hub, yaml = require("huggingface_hub", "hub"), require("yaml", "hub")
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    try:
        card = hub.ModelCard(text, ignore_metadata_errors=True)
    except (ValueError, TypeError, yaml.YAMLError) as error:
        line = " ".join(str(error).split())
        raise InputError(f"{path}: expected YAML between its first lines `---` ({line})") from None
    card.data.license = licence
    return str(card)


def _require_free(folder: Path, replace: bool) -> None:
    if not folder.exists():
        return
    if not replace:
        raise InputError(f"{folder}: exists already; --force replaces it")
    names = {file.name for file in folder.iterdir()} if folder.is_dir() else {folder.name}
    if foreign := sorted(names - BUNDLE_FILES):
        raise InputError(
            f"{folder}: holds what no bundle does, so it is left alone: {', '.join(foreign[:5])}"
        )
    if names and not was_bundle(folder):
        raise InputError(f"{folder}: is no bundle, so it is left alone")


@contextmanager
def _hub_failures(repository: str) -> Iterator[None]:
    """What the Hub and the way to it answer, as one line."""
    errors = require("huggingface_hub.errors", "hub")
    http = require("httpx2", "hub")
    try:
        yield
    except AbcnnError:
        raise
    except errors.HFValidationError:
        raise InputError(f"`repository` must be owner/name. Received: {repository!r}") from None
    except errors.RevisionNotFoundError:
        raise RemoteError(f"{repository}: has no such branch, tag or commit") from None
    except errors.RepositoryNotFoundError:
        raise RemoteError(
            f"{repository}: is not on the Hub, or not for you to see; `hf auth login` says who you "
            "are"
        ) from None
    except errors.HfHubHTTPError as error:
        status = error.response.status_code
        hint = "; `hf auth login` says who you are" if status in (401, 403) else ""
        reason = error.server_message or error.response.reason_phrase
        raise RemoteError(
            f"{repository}: HTTP {status} {' '.join(str(reason).split())}{hint}"
        ) from None
    except (http.HTTPError, OSError, ValueError) as error:
        line = " ".join(str(error).split())
        raise RemoteError(f"{repository}: the Hub cannot be reached ({line})") from None
