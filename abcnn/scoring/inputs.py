"""What several inputs are, and which output each has."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from abcnn.errors import InputError
from abcnn.tables.formats import format_of_name


@dataclass(frozen=True)
class Job:
    """A table to read and the one to write; `-` is stdin or stdout."""

    source: str
    output: str

    @property
    def name(self) -> str:
        """The name of the output, without its folders."""
        return Path(self.output).name


def jobs_of(
    inputs: Sequence[str], output: str, output_format: str | None = None
) -> tuple[tuple[Job, ...], bool]:
    """The tables to score, and whether it is one that becomes the file `output`.

    Otherwise `output` is a folder, and each table is written to it under its own name: where there
    are several inputs, a folder, a pattern, or where `output` is a folder already or ends in a
    slash. A folder stands for the tables in it, hidden files and those of other suffixes aside; a
    pattern (`*`, `?`, `[a-z]`) for the files that it fits; both in the order of their names.
    Another `output_format` changes the suffix.

    Raises InputError when an input has no tables, when two outputs would have one name or an output
    be an input, and when `output` cannot be a folder.
    """
    folder = Path(output)
    if len(inputs) == 1 and not (output.endswith("/") or folder.is_dir()):
        (source,) = inputs
        if not _is_pattern(source) and not Path(source).is_dir():
            if output != "-" and not folder.resolve().parent.is_dir():
                raise InputError(f"{output}: the folder {folder.parent} does not exist")
            return (Job(source, output),), True
    return _folder_jobs(inputs, output, output_format), False


def _folder_jobs(inputs: Sequence[str], output: str, output_format: str | None) -> tuple[Job, ...]:
    folder = Path(output)
    if output == "-" or (folder.exists() and not folder.is_dir()) or "-" in inputs:
        raise InputError(f"several inputs need a folder as output, and files. Received: {output!r}")
    if not output.endswith("/") and not folder.is_dir() and format_of_name(output):
        raise InputError(
            f"{output}: several inputs are written to a folder, each under its own name. "
            "Received: the name of a table; end it in / if it is to be a folder"
        )
    if not folder.resolve().parent.is_dir():
        raise InputError(f"{output}: the folder {folder.parent} does not exist")
    files = [file for given in inputs for file in _tables_of(given)]
    jobs = tuple(Job(file, str(folder / _output_name(file, output_format))) for file in files)
    seen: dict[str, str] = {}
    for job in jobs:
        if Path(job.output).resolve() == Path(job.source).resolve():
            raise InputError(f"{job.source}: would be replaced by its output; name another folder")
        if job.name in seen:
            raise InputError(
                f"{job.source}: its output would have the name {job.name}, as that of "
                f"{seen[job.name]}"
            )
        seen[job.name] = job.source
    return jobs


def _tables_of(given: str) -> list[str]:
    path = Path(given)
    if path.is_dir():
        files = [
            str(file)
            for file in sorted(path.iterdir())
            if file.is_file() and not file.name.startswith(".") and format_of_name(file.name)
        ]
        if not files:
            raise InputError(f"{given}: expected a folder with tables. Received: one without")
        return files
    if _is_pattern(given):
        files = sorted(
            file
            for file in glob.glob(given)  # noqa: PTH207 - takes absolute patterns too
            if Path(file).is_file()
        )
        if not files:
            raise InputError(f"{given}: there is no such file")
        return files
    return [given]


def _is_pattern(name: str) -> bool:
    """Whether a name stands for others: a file may have such a name itself."""
    return glob.has_magic(name) and not Path(name).exists()


def _output_name(file: str, output_format: str | None) -> str:
    name = Path(file).name
    if output_format is None or output_format == format_of_name(name):
        return name
    packed = ".gz" if name.lower().endswith(".gz") and output_format != "parquet" else ""
    stem = name[:-3] if name.lower().endswith(".gz") else name
    return f"{Path(stem).stem}.{output_format}{packed}"
