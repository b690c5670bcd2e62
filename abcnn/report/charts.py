"""Line charts as SVG, in the page's own colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np

_WIDTH, _HEIGHT = 440, 290
_LEFT, _RIGHT, _TOP, _BOTTOM = 66, 14, 12, 44
_MOST_POINTS = 300


@dataclass(frozen=True, slots=True)
class Series:
    """Points of a line; `style` is one of "one", "two", "three", "guide"; dots where few."""

    name: str
    x: Sequence[float] | np.ndarray
    y: Sequence[float] | np.ndarray
    style: str = "one"
    dots: bool = False


def line_chart(
    series: Sequence[Series],
    *,
    title: str,
    x_name: str,
    y_name: str,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    mark: float | None = None,
    whole: bool = False,
) -> str:
    """An `<svg>` element with axes; `mark` is a vertical line. Points that are NaN are left out.
    `whole` is for an x that counts, such as epochs.

    Everything is escaped; the title is what a screen reader says. Curves of many points are
    thinned out.
    """
    x_low, x_high = x_range or _range([one.x for one in series])
    y_low, y_high = y_range or _range([one.y for one in series])

    def x_of(value: float) -> float:
        return _LEFT + (value - x_low) / (x_high - x_low) * (_WIDTH - _LEFT - _RIGHT)

    def y_of(value: float) -> float:
        return _HEIGHT - _BOTTOM - (value - y_low) / (y_high - y_low) * (_HEIGHT - _TOP - _BOTTOM)

    svg = ElementTree.Element(
        "svg", {"viewBox": f"0 0 {_WIDTH} {_HEIGHT}", "role": "img", "class": "chart"}
    )
    ElementTree.SubElement(svg, "title").text = title
    for value in _ticks(x_low, x_high):
        if whole and value != round(value):
            continue
        _line(svg, "grid", x_of(value), _TOP, x_of(value), _HEIGHT - _BOTTOM)
        _text(svg, f"{value:.4g}", x_of(value), _HEIGHT - _BOTTOM + 16, "middle")
    for value in _ticks(y_low, y_high):
        _line(svg, "grid", _LEFT, y_of(value), _WIDTH - _RIGHT, y_of(value))
        _text(svg, f"{value:.4g}", _LEFT - 6, y_of(value) + 4, "end")
    _text(svg, x_name, (_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 8, "middle")
    middle = (_TOP + _HEIGHT - _BOTTOM) / 2
    label = _text(svg, y_name, 13, middle, "middle")
    label.set("transform", f"rotate(-90 13 {middle:.1f})")
    if mark is not None and x_low <= mark <= x_high:
        _line(svg, "mark", x_of(mark), _TOP, x_of(mark), _HEIGHT - _BOTTOM)
    for one in series:
        x, y = np.asarray(one.x, float), np.asarray(one.y, float)
        kept = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        if len(kept) > _MOST_POINTS:
            kept = kept[np.linspace(0, len(kept) - 1, _MOST_POINTS).round().astype(int)]
        points = [(x_of(x[at]), y_of(y[at])) for at in kept]
        line = ElementTree.SubElement(svg, "polyline", {"class": f"line {one.style}"})
        line.set("points", " ".join(f"{a:.1f},{b:.1f}" for a, b in points))
        for a, b in points if one.dots else ():
            place = {"cx": f"{a:.1f}", "cy": f"{b:.1f}", "r": "3.5"}
            ElementTree.SubElement(svg, "circle", {"class": f"dot {one.style}", **place})
    return ElementTree.tostring(svg, encoding="unicode")


def _range(columns: Sequence[Sequence[float] | np.ndarray]) -> tuple[float, float]:
    values = np.concatenate([np.asarray(column, float) for column in columns])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _ticks(low: float, high: float) -> list[float]:
    """Four to nine round numbers in a range."""
    scale = 10 ** np.floor(np.log10(high - low))
    step = next(scale * part for part in (1, 0.5, 0.25, 0.1) if (high - low) >= 4 * scale * part)
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    return [float(place * step) + 0.0 for place in np.arange(first, last + 1)]


def _line(svg: ElementTree.Element, kind: str, *ends: float) -> None:
    places = dict(zip(("x1", "y1", "x2", "y2"), (f"{end:.1f}" for end in ends), strict=True))
    ElementTree.SubElement(svg, "line", {"class": kind, **places})


def _text(
    svg: ElementTree.Element, text: str, x: float, y: float, anchor: str
) -> ElementTree.Element:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}
    element = ElementTree.SubElement(svg, "text", place)
    element.text = text
    return element
