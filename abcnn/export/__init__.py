"""Models for other programs and machines: a network in another form, with all that reads text.

`export_bundle` writes one; `abcnn.runtime.load` scores raw text with those that need no TensorFlow.
"""

from abcnn.export.folder import FORMATS, export_bundle

__all__ = ["FORMATS", "export_bundle"]
