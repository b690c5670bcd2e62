"""The failures a user can mend. Each message is one line: where, what was expected, what came."""

from __future__ import annotations

import importlib
from types import ModuleType


class AbcnnError(Exception):
    """A failure with a message for the user; commands print it without a traceback and exit 1."""


class InputError(AbcnnError, ValueError):
    """Bad data or a bad argument.

    The message names the file, row and column where there is one, then what was expected and
    what was received: ``pairs.csv, row 17: column `label` must be one of 0, 1. Received: 'yes'``.
    """


class OutputError(InputError):
    """A file that cannot be written: no such folder, no permission, a full disk."""


class BundleError(AbcnnError):
    """A saved matcher that is missing, incomplete, altered or of another version."""


class TrainingError(AbcnnError):
    """A training run that cannot go on, for instance because its loss is not finite."""


class TrainingInterruptedError(TrainingError):
    """Ctrl-C before there was anything to keep."""


class WorkerError(AbcnnError):
    """A process that scored rows and is gone."""


class RemoteError(AbcnnError):
    """What should come over the network: not there, out of reach, cut, or not as published."""


class MissingExtraError(AbcnnError):
    """An optional package that a capability needs and that is not installed."""


def require(module: str, extra: str) -> ModuleType:
    """Import an optional package, or raise MissingExtraError, which names what to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or module.split(".")[0] != error.name.split(".")[0]:
            raise
        message = f"{module} is not installed: pip install 'abcnn[{extra}]'"
        raise MissingExtraError(message) from error
