"""The failures a user can mend. Each message is one line: where, what was expected, what came."""

from __future__ import annotations


class AbcnnError(Exception):
    """A failure with a message for the user; commands print it without a traceback and exit 1."""


class InputError(AbcnnError, ValueError):
    """Bad data or a bad argument.

    The message names the file, row and column where there is one, then what was expected and
    what was received: ``pairs.csv, row 17: column `label` must be one of 0, 1. Received: 'yes'``.
    """


class BundleError(AbcnnError):
    """A saved matcher that is missing, incomplete, altered or of another version."""


class TrainingError(AbcnnError):
    """A training run that cannot go on, for instance because its loss is not finite."""
