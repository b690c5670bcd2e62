"""What several runs on the same data share: the conditions they are made under, one process."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from abcnn.pairs import PairBatch
from abcnn.text.vector_sets import VectorFiles, vector_files


def data_facts(pairs: PairBatch) -> dict[str, Any]:
    """What tells labelled pairs from others: the name of their file, how many, a checksum."""
    digest = hashlib.sha256()
    for column in (pairs.left, pairs.right, pairs.labels, pairs.ranking_groups):
        digest.update(json.dumps(column).encode())
    if pairs.teacher is not None:
        digest.update(json.dumps([pairs.teacher.column, pairs.teacher.rows]).encode())
    return {"file": Path(pairs.source).name, "pairs": len(pairs), "sha256": digest.hexdigest()}


def vectors_facts(vectors: VectorFiles) -> list[dict[str, Any]]:
    """What tells files of word vectors from others: their names and sizes."""
    return [{"file": file.name, "bytes": file.stat().st_size} for file in vector_files(vectors)]


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The names of the values that differ as JSON, of those within `options` too."""
    names = []
    for name in sorted({*one, *other}):
        first, second = (json.loads(json.dumps(values.get(name))) for values in (one, other))
        if name == "options" and isinstance(first, dict) and isinstance(second, dict):
            names += differences(first, second)
        elif first != second:
            names.append(name)
    return names


@contextmanager
def many_networks() -> Iterator[None]:
    """Have TensorFlow not take the networks of several runs for one that is traced too often."""

    def keep(record: logging.LogRecord) -> bool:
        return "retracing" not in record.getMessage()

    logger = logging.getLogger("tensorflow")
    logger.addFilter(keep)
    try:
        yield
    finally:
        logger.removeFilter(keep)
