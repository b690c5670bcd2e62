"""Fonts that have the characters of a text."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from abcnn.errors import require

# Looked through first: families with many characters, so that few fonts are mixed.
_PREFERRED = (
    "DejaVu Sans",
    "Noto Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Naskh Arabic",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Arial Unicode MS",
    "Microsoft YaHei",
    "Segoe UI",
    "PingFang SC",
)


def fonts_for(texts: Iterable[str]) -> tuple[list[str], str]:
    """Font families for matplotlib in the order in which a character is looked for, and the
    characters that no installed font has.

    Families are taken among those installed until every character is found.
    """
    missing = {ord(character) for text in texts for character in text if character > " "}
    families = _families()
    chosen = ["DejaVu Sans"]  # comes with matplotlib
    for family in dict.fromkeys([*_PREFERRED, *sorted(families)]):
        if not missing:
            break
        if family in families and (found := missing & _characters(families[family])):
            chosen.append(family)
            missing -= found
    return list(dict.fromkeys(chosen)), "".join(map(chr, sorted(missing)))


@functools.cache
def _families() -> dict[str, str]:
    """The installed families and the file of an upright, regular font of each."""
    manager = require("matplotlib.font_manager", "explain").fontManager
    regular = [
        font
        for font in manager.ttflist
        # "Last Resort" has a box for every character.
        if font.style == "normal"
        and font.weight in (400, "normal")
        and not font.name.startswith("Last Resort")
    ]
    return {font.name: font.fname for font in reversed(regular)}


@functools.cache
def _characters(file: str) -> frozenset[int]:
    manager = require("matplotlib.font_manager", "explain")
    try:
        return frozenset(manager.get_font(file).get_charmap())
    except (OSError, RuntimeError, ValueError):  # a bitmap font, or a damaged one
        return frozenset()
