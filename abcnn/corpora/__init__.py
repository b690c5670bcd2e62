"""The public corpora and word vectors: where their publishers have them, fetching, checking."""

from abcnn.corpora.catalogue import CATALOGUE, Archive, Corpus, PublishedFile, corpus_named
from abcnn.corpora.check import Checked, check_folder
from abcnn.corpora.fetch import fetch

__all__ = [
    "CATALOGUE",
    "Archive",
    "Checked",
    "Corpus",
    "PublishedFile",
    "check_folder",
    "corpus_named",
    "fetch",
]
