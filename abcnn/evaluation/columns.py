"""Checks of the columns that the measures are computed from; rows are counted from 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized

import numpy as np

from abcnn.errors import InputError


def same_length(**columns: Sized | None) -> int:
    """The common length of some columns, at least 1; a column that is None is left out."""
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) > 1:
        received = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(f"The columns must have one entry a pair each. Received: {received}")
    length = next(iter(lengths.values()))
    if length == 0:
        raise InputError(f"{', '.join(lengths)}: expected at least one pair. Received: none")
    return length


def finite_numbers(name: str, values: Sequence | np.ndarray) -> np.ndarray:
    """`values` as float64 `(pairs,)`; an entry that is no finite number is an `InputError`."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        row = next(row for row, value in enumerate(values, 1) if not _is_number(value))
        raise InputError(
            f"`{name}`, row {row}: expected a finite number. Received: {values[row - 1]!r}"
        ) from None
    if numbers.ndim != 1:
        raise InputError(f"`{name}` must be one column of numbers. Received shape: {numbers.shape}")
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        raise InputError(
            f"`{name}`, row {bad[0] + 1}: expected a finite number. Received: {numbers[bad[0]]}"
        )
    return numbers


def one_of(name: str, value: str, allowed: Iterable[str]) -> None:
    """`InputError` unless the argument `name` has one of the `allowed` values."""
    if value not in (choices := tuple(allowed)):
        raise InputError(f"`{name}` must be one of {', '.join(choices)}. Received: {value!r}")


def refuse_duplicates(groups: Sequence[str], candidate_ids: Sequence[str]) -> None:
    """`InputError` naming a candidate id that stands twice in one question."""
    seen: dict[tuple[str, str], int] = {}
    for row, key in enumerate(zip(groups, candidate_ids, strict=True), 1):
        if key in seen:
            raise InputError(
                f"Rows {seen[key]} and {row}: question {key[0]!r} has the candidate "
                f"{key[1]!r} twice. Candidate ids must be unique in their question"
            )
        seen[key] = row


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False
    return True
