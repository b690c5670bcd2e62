"""The bundle: what a trained matcher's folder holds, written at once and checked when read.

| file | what |
| --- | --- |
| `config.json` | task, labels or grades, threshold, calibration, tokeniser, network, features |
| `vocabulary.txt` | the words, one a line, in the order of their ids |
| `words.json` | what the features know of words: IDF, stop words, learnt antonyms, the WordNet |
| `vectors.npy` | the word vectors, float32 `(vocabulary, dim)`, read as a memory map |
| `weights.npz` | all other weights of the network, by name |
| `metrics.json`, `history.csv` | what training measured, and every epoch |
| `README.md` | the model card, for people: it may be edited, and has no checksum |

The score of an ensemble, `members` in `config.json`, is made of the mean logits of its networks:
they have one configuration, vocabulary, features, threshold and calibration. In `weights.npz` the
names of the second network's weights begin with `member_2/`, and so on; what a network lacks there
it has in common with the first. So word vectors that were not trained are stored once.

Loading reads numbers and text only: nothing in the folder is executed. Both engines take the same
arrays, so there is one source of the weights and no Keras is needed to read them.
"""

from __future__ import annotations

import csv
import hashlib
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from abcnn.bundle.card import model_card
from abcnn.bundle.files import checksum, files_below, verify, whole_folder
from abcnn.errors import BundleError
from abcnn.features.catalogue import FEATURES
from abcnn.features.encoder import PairEncoder
from abcnn.features.pair_features import PairFeatures
from abcnn.features.words import WordStatistics
from abcnn.network_config import NetworkConfig
from abcnn.readers.grades import Grades
from abcnn.tasks import TASKS
from abcnn.text.tokenizer import Tokenizer
from abcnn.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher

FORMAT = 2
_VECTORS = "vectors/embeddings"

BUNDLE_FILES = frozenset(
    (
        "config.json",
        "vocabulary.txt",
        "words.json",
        "vectors.npy",
        "weights.npz",
        "metrics.json",
        "history.csv",
        "README.md",
    )
)
"""The files of a bundle: a folder that holds another one holds something of the user's."""

CARD = "README.md"

# A word or a file name may hold half a surrogate pair: written and read as it is.
_TEXT = {"encoding": "utf-8", "errors": "surrogatepass"}


def save_bundle(
    matcher: Matcher,
    folder: str | PathLike[str],
    *,
    history: list[dict[str, Any]] | None = None,
    replace: bool = False,
) -> None:
    """Write a matcher to `folder`, whole or not at all.

    `history` has one row an epoch. Raises InputError when the folder exists (unless `replace`) or
    cannot be written.
    """
    with whole_folder(Path(folder), replace=replace) as part:
        write_weights(part, matcher.members)
        matcher.encoder.vocabulary.save(part / "vocabulary.txt")
        features = matcher.encoder.features
        _write_json(part / "words.json", features.statistics.to_dict())
        _write_json(part / "metrics.json", matcher.metrics)
        _write_history(part / "history.csv", history or [])
        (part / CARD).write_text(model_card(matcher), **_TEXT)
        config = {
            "format": FORMAT,
            "task": matcher.task.name,
            "labels": list(matcher.labels),
            "grades": matcher.grades and matcher.grades.to_dict(),
            "threshold": matcher.threshold,
            "calibration": matcher.calibration and matcher.calibration.to_lists(),
            "tokenizer": matcher.encoder.tokenizer.get_config(),
            "max_length": matcher.encoder.max_length,
            "both_orders": matcher.encoder.both_orders,
            "features": {
                "names": list(features.names),
                "versions": [FEATURES[name].version for name in features.names],
                "mean": list(features.mean),
                "scale": list(features.scale),
            },
            "network": asdict(matcher.config),
            "members": len(matcher.members),
            "about": matcher.about,
        }
        write_config(part, config)
        assert {file.name for file in part.iterdir()} == BUNDLE_FILES


def was_bundle(folder: Path) -> bool:
    """Whether the `config.json` there, cut or changed as it may be, began as that of a bundle."""
    path = folder / "config.json"
    return path.is_file() and path.read_bytes().startswith(b'{\n "format":')


def read_metrics(folder: str | PathLike[str]) -> dict[str, Any]:
    """What training measured, of a bundle that `read_config` has checked."""
    return _read_json(Path(folder) / "metrics.json")


def read_history(folder: str | PathLike[str]) -> list[dict[str, str]]:
    """The epochs of training as they stand in `history.csv`, of a bundle already checked."""
    with (Path(folder) / "history.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_config(folder: Path, config: dict[str, Any]) -> None:
    """Write `config.json` with the checksums of all files that are there, but for the card's."""
    checksums = {
        file.relative_to(folder).as_posix(): checksum(file)
        for file in files_below(folder)
        if file != folder / CARD
    }
    config = config | {"checksums": checksums}
    _write_json(folder / "config.json", config | {"checksum": _digest(config)})


def read_config(folder: str | PathLike[str], *, exported: bool = False) -> dict[str, Any]:
    """The configuration of a bundle, after a check that all files are there and as written.

    exported: whether the folder is to be one of `abcnn export` instead.

    Raises BundleError, which names the file that is missing, cut, changed or of another version.
    """
    path = Path(folder) / "config.json"
    if not path.parent.is_dir():
        raise BundleError(f"{folder}: there is no such folder")
    if not path.is_file():
        raise BundleError(f"{path}: is missing; a folder written by `abcnn train` has one")
    try:
        config = _read_json(path)
        stated, version = config.pop("checksum"), config["format"]
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise BundleError(f"{path}: was cut or changed after it was written") from error
    if version != FORMAT:
        raise BundleError(
            f"{path}: the bundle has format {version}, this version of abcnn reads format "
            f"{FORMAT}; train it anew, or use the version that wrote it: "
            f"{config.get('about', {}).get('versions', {}).get('abcnn', 'unknown')}"
        )
    if stated != _digest(config):
        raise BundleError(f"{path}: was cut or changed after it was written (its checksum differs)")
    if ("export" in config) != exported:
        raise BundleError(
            f"{folder}: is a bundle, which `abcnn.load` reads, and no exported model"
            if exported
            else f"{folder}: is an exported model, which `abcnn.runtime.load` reads, and no bundle"
        )
    verify(path.parent, config["checksums"])
    return config


def load_bundle(folder: str | PathLike[str], engine: str = "fast") -> Matcher:
    """Load a matcher; it gives the scores that it gave before it was saved.

    engine: "fast" scores with NumPy and compiled loops and imports no Keras; "keras" scores with
        the Keras network, which is the reference (`abcnn.network_config.ENGINES`).

    Raises BundleError as `read_config` does, InputError for another engine.
    """
    config = read_config(folder)
    weights, *others = read_weights(Path(folder), config.get("members", 1))
    matcher = replace(matcher_of(Path(folder), config, weights, engine), others=tuple(others))
    try:
        if matcher.folded is None:
            _ = matcher.networks
    except ValueError as error:
        raise BundleError(f"{folder}: the weights do not fit the network of config.json") from error
    return matcher


def matcher_of(
    folder: Path, config: dict[str, Any], weights: Mapping[str, np.ndarray], engine: str = "fast"
) -> Matcher:
    """The matcher of a configuration that `read_config` has checked, with the weights given."""
    from abcnn.scoring.calibration import Calibration
    from abcnn.scoring.matcher import Matcher

    _check_features(config["features"], folder)
    knots, grades = config.get("calibration"), config.get("grades")
    network = _network_config(config["network"])
    words = _read_json(folder / "words.json")
    return Matcher(
        task=TASKS[config["task"]],
        labels=tuple(config["labels"]),
        grades=grades and Grades(**grades),
        threshold=config["threshold"],
        encoder=PairEncoder(
            tokenizer=Tokenizer.from_config(config["tokenizer"]),
            vocabulary=Vocabulary.load(folder / "vocabulary.txt"),
            features=PairFeatures(
                names=tuple(config["features"]["names"]),
                statistics=WordStatistics.from_dict(words),
                mean=tuple(config["features"]["mean"]),
                scale=tuple(config["features"]["scale"]),
            ),
            max_length=config["max_length"],
            rests=network.rest_network,
            both_orders=config.get("both_orders", False),
        ),
        config=network,
        weights=weights,
        calibration=knots and Calibration.from_lists(knots),
        metrics=read_metrics(folder),
        about=config["about"],
        engine=engine,
    )


def _network_config(values: dict[str, Any]) -> NetworkConfig:
    """The configuration; what is a list in JSON was a tuple."""
    tuples: dict[str, Any] = {
        name: tuple(value) for name, value in values.items() if isinstance(value, list)
    }
    return NetworkConfig(**values | tuples)


def write_weights(folder: Path, members: Sequence[Mapping[str, np.ndarray]]) -> None:
    """Write the first network's word vectors to `vectors.npy`, all other weights to `weights.npz`.

    An array that a further network has in common with the first is not written again.
    """
    first, *others = members
    np.save(folder / "vectors.npy", first[_VECTORS])
    arrays: dict[str, Any] = {name: first[name] for name in sorted(first) if name != _VECTORS}
    for number, weights in enumerate(others, start=2):
        own = (name for name in sorted(weights) if weights[name] is not first[name])
        arrays |= {f"{_prefix(number)}{name}": weights[name] for name in own}
    np.savez(folder / "weights.npz", **arrays)


def read_weights(folder: Path, members: int) -> list[dict[str, np.ndarray]]:
    """What `write_weights` wrote, a dict a network, the word vectors of the first as a memory map.

    Raises BundleError for other files, and for those of fewer networks.
    """
    try:
        vectors = np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False)
        with np.load(folder / "weights.npz", allow_pickle=False) as stored:
            first = {_VECTORS: vectors} | dict(stored)
    except (ValueError, zipfile.BadZipFile) as error:
        raise BundleError(f"{folder}: the weights are no arrays of numbers") from error
    others = []
    for prefix in map(_prefix, range(2, members + 1)):
        names = [name for name in first if name.startswith(prefix)]
        if not names:
            raise BundleError(f"{folder}: has no weights {prefix}..., but {members} members")
        others.append({name.removeprefix(prefix): first.pop(name) for name in names})
    return [first, *(first | own for own in others)]


def _prefix(number: int) -> str:
    """What the names of the weights of a further network begin with, from number 2 on."""
    return f"member_{number}/"


def _check_features(features: dict[str, Any], folder: Path) -> None:
    """BundleError when a feature is not computed as it was when the bundle was written."""
    for name, version in zip(features["names"], features["versions"], strict=True):
        if name not in FEATURES or FEATURES[name].version != version:
            raise BundleError(
                f"{folder}: was trained with version {version} of the feature {name}, which this "
                "version of abcnn does not have; train it anew"
            )


def _digest(config: dict[str, Any]) -> str:
    text = json.dumps(config, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", **_TEXT)


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(**_TEXT))


def _write_history(path: Path, history: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, history[0] if history else ["number"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(history)
