"""Whether a tab-separated corpus file has quoted cells."""

from __future__ import annotations

import re

from abcnn.readers.formats import QUORA, check_pair_format, recognise_corpus
from abcnn.tables import TABLE_FORMATS
from abcnn.tables.lines import check_encoding

# A cell in quotes with a doubled quote in it, which only quoting writes.
_QUOTED = re.compile(r'"(?:[^"]|"")*""(?:[^"]|"")*"')


def table_format(format: str | None, head: bytes, encoding: str) -> str | None:
    """The table format to read a file of pairs with, from its first bytes; None: as its name says.

    The corpora have no quoting, whatever their files are called. Quora's own file is the exception
    (its questions have line ends in them), and its copy in GLUE has the same header and none: the
    cells tell.
    """
    check_pair_format(format)
    check_encoding(encoding)
    if format in TABLE_FORMATS:
        return format
    header, _, sample = head.decode(encoding, "replace").removeprefix("\ufeff").partition("\n")
    names = [name.strip('"') for name in header.rstrip("\r").split("\t")]
    corpus = recognise_corpus(names)
    if corpus is None:
        return None
    return "csv" if corpus is QUORA and has_quoted_cells(sample) else "tsv"


def has_quoted_cells(sample: str) -> bool:
    """Whether tab-separated text is quoted as CSV is: what the first telling cell shows.

    A doubled quote in a cell in quotes, or a quote that opens and does not close on its line, tells
    of quoting; a quote within a cell that has none around it tells of no quoting. Text without
    such a cell counts as not quoted. The last line may be cut and is left out.
    """
    for line in sample.split("\n")[:-1]:
        for cell in line.rstrip("\r").split("\t"):
            if '"' not in cell:
                continue
            if _QUOTED.fullmatch(cell) or (cell.startswith('"') and cell.count('"') == 1):
                return True
            if not (cell.startswith('"') and cell.endswith('"') and cell.count('"') == 2):
                return False
    return False
