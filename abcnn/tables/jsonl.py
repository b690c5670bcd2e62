"""JSON Lines, one object a line, as a table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

from abcnn.errors import InputError
from abcnn.tables.chunks import Table, TableChunk, grouped
from abcnn.tables.formats import Dialect
from abcnn.tables.lines import TextReader
from abcnn.tables.names import header_names
from abcnn.tables.places import place, shown
from abcnn.tables.source import Source


def json_table(source: Source, encoding: str, chunk_rows: int) -> Table:
    """The JSON Lines in `source`.

    The columns are the keys of the first `chunk_rows` objects, in the order they come up; a key
    that an object lacks is None. Raises InputError, also while iterating, for a key that comes up
    later, since it would be lost.
    """
    objects = _objects(TextReader(source, encoding), source.name)
    groups = grouped(objects, chunk_rows)
    first = next(groups, (1, (), []))
    names = header_names(list(dict.fromkeys(chain.from_iterable(first[2]))), source.name)
    chunks = (_chunk(*group, names, source.name) for group in chain([first], groups))
    return Table(source.name, names, Dialect("jsonl"), chunks)


def _chunk(
    first_row: int,
    lines: tuple[int, ...],
    objects: list[dict[str, Any]],
    names: tuple[str, ...],
    source: str,
) -> TableChunk:
    known = set(names)
    for index, value in enumerate(objects):
        if not known.issuperset(value):
            raise InputError(
                f"{place(source, first_row + index, lines[index])}: expected the keys of the rows "
                f"before: {', '.join(names)}. Received: {', '.join(value)}"
            )
    columns = tuple([value.get(name) for value in objects] for name in names)
    return TableChunk(source, names, columns, first_row, lines)


def _objects(
    lines: Iterator[tuple[int, str]], source: str
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """`(line, characters, object)` of every row; blank lines at the end are none."""
    for row, (number, line) in enumerate(lines, start=1):
        where = place(source, row, number)
        text = line.strip()
        if not text:
            if any(later.strip() for _, later in lines):
                raise InputError(f"{where}: expected a JSON object. Received: a blank line")
            return
        try:
            value = _decode(text)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"{where}: expected a JSON object. Received: {shown(text)} ({error})"
            ) from None
        if not isinstance(value, dict):
            raise InputError(f"{where}: expected a JSON object. Received: {shown(text)}")
        yield number, len(line), value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands twice")
    return value


_decode = json.JSONDecoder(object_pairs_hook=_unique).decode
