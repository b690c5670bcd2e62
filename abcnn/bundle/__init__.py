"""A trained matcher on disk: a folder of JSON, text and arrays, nothing pickled."""

from abcnn.bundle.folder import (
    BUNDLE_FILES,
    load_bundle,
    read_config,
    read_metrics,
    save_bundle,
    was_bundle,
)

__all__ = [
    "BUNDLE_FILES",
    "load_bundle",
    "read_config",
    "read_metrics",
    "save_bundle",
    "was_bundle",
]
