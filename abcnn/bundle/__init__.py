"""A trained matcher on disk: a folder of JSON, text and one Keras file, nothing pickled."""

from abcnn.bundle.folder import load_bundle, read_config, save_bundle

__all__ = ["load_bundle", "read_config", "save_bundle"]
