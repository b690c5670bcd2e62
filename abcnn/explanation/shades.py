"""Numbers as shares of a colour."""

from __future__ import annotations

import numpy as np


def shades(values: np.ndarray) -> np.ndarray:
    """Any numbers brought to [0, 1], the lowest to 0; a half where all are equal."""
    low, high = float(values.min()), float(values.max())
    return (values - low) / (high - low) if high > low else np.full(values.shape, 0.5)


def signed_shades(values: np.ndarray) -> np.ndarray:
    """Numbers of both signs brought to [-1, 1] by the largest of them, 0 staying 0; NaN is 0."""
    finite = np.nan_to_num(values)
    largest = float(np.abs(finite).max(initial=0.0))
    return finite / largest if largest else finite
