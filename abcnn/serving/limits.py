"""How much a client may ask for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that keep one request from filling memory or disk.

    pairs: pairs, or candidates, of one request.
    characters: characters of one sentence.
    body_bytes: bytes of a request's body, other than a table.
    table_bytes: bytes of a table.
    tables: tables that may be on the disk at once, scored one after the other.
    waiting_pairs: pairs of all requests that may wait to be scored.
    """

    pairs: int = 1_000
    characters: int = 10_000
    body_bytes: int = 4 << 20
    table_bytes: int = 64 << 20
    tables: int = 4
    waiting_pairs: int = 20_000
