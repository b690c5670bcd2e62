"""The measure against the speed of every model: SVG, by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from abcnn.errors import require
from abcnn.model_comparison.records import ModelRow

_MARKERS = "osD^v<>PX*hd"  # besides the colours, for who does not see them


def draw_models(rows: Sequence[ModelRow], measure: str, stream: IO[bytes]) -> None:
    """Write the picture: pairs/s to the right, the dev measure upwards, bars of one deviation.

    Models without a finished run are left out. Raises MissingExtraError without matplotlib.
    """
    matplotlib = require("matplotlib", "explain")
    settings = {"font.size": 9, "svg.fonttype": "path", "svg.hashsalt": "abcnn"}
    with matplotlib.rc_context(settings):
        figure = require("matplotlib.figure", "explain").Figure(
            figsize=(7.2, 4.4), layout="constrained"
        )
        axes = figure.subplots()
        colours = matplotlib.colormaps["tab20"].colors[::2]
        for place, row in enumerate(rows):
            if row.dev is not None:
                axes.errorbar(
                    row.pairs_per_second,
                    row.dev,
                    yerr=row.dev_deviation,
                    fmt=_MARKERS[place % len(_MARKERS)],
                    color=colours[place % len(colours)],
                    capsize=3,
                    label=row.model,
                )
        axes.set_xscale("log")
        ticker = require("matplotlib.ticker", "explain")
        axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))
        axes.xaxis.set_minor_locator(ticker.NullLocator())
        axes.set_xlabel("pairs scored per second (log scale)")
        axes.set_ylabel(f"dev {measure}, mean ± standard deviation")
        axes.grid(True, color="0.9")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside right upper", frameon=False)
        figure.savefig(stream, format="svg", facecolor="white", metadata={"Date": None})
