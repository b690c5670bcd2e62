"""The names of a table's columns."""

from __future__ import annotations

from collections.abc import Sequence

from abcnn.errors import InputError

SKIP = "_"


def header_names(names: Sequence[str], source: str) -> tuple[str, ...]:
    """The names that a file states, each of them there and different; InputError otherwise.

    The first of several may be empty: so pandas heads its row numbers.
    """
    if not names:
        raise InputError(f"{source}, header: expected columns. Received: none")
    for position, name in enumerate(names, start=1):
        if not name.strip() and (position > 1 or len(names) == 1):
            raise InputError(f"{source}, header: column {position} has no name")
        if name in names[: position - 1]:
            raise InputError(f"{source}, header: the column name {name!r} stands twice")
    return tuple(names)


def given_names(columns: Sequence[str]) -> tuple[str, ...]:
    """The names that the caller gives to a file without a header; a `_` is `column_<position>`.

    Raises InputError when they are empty or not different.
    """
    names = [
        f"column_{position}" if name == SKIP else name
        for position, name in enumerate(columns, start=1)
    ]
    if not names or not all(name.strip() for name in names) or len(set(names)) < len(names):
        raise InputError(
            f"`columns` must be different names, `{SKIP}` to skip one. "
            f"Received: {','.join(columns)!r}"
        )
    return tuple(names)
