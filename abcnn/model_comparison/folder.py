"""The runs that are finished, on disk: one JSON file each, so that none is made again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from abcnn.errors import InputError
from abcnn.model_comparison.records import ModelRun
from abcnn.tables.output import whole_file
from abcnn.training.many_runs import differences

_RUNS = "runs"


class RunFolder:
    """The folder `out/runs` of a comparison.

    A run is kept with its `conditions`: all that decides what came of it. Raises InputError when
    `out` cannot be made, or holds files but no comparison.
    """

    def __init__(self, out: Path) -> None:
        self._folder = out / _RUNS
        try:
            if out.is_dir() and any(out.iterdir()) and not self._folder.is_dir():
                raise InputError(
                    f"{out}: is not empty and holds no comparison, so it is left alone"
                )
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{out}: cannot be written: {error.strerror}") from error

    def find(self, model: str, seed: int, conditions: Mapping[str, Any]) -> ModelRun | None:
        """The run that is there, if it is.

        Raises InputError when it was made under other conditions, or the file is no run's.
        """
        path = self._path(model, seed)
        if not path.is_file():
            return None
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            found, run = record["conditions"], ModelRun(**record["run"])
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise InputError(f"{path}: expected a finished run. Received: {error}") from error
        if other := differences(found, conditions):
            raise InputError(
                f"{path}: was made with other {', '.join(other)}; one comparison has one budget: "
                "give another folder with --out, or remove this file"
            )
        return run

    def keep(self, run: ModelRun, conditions: Mapping[str, Any]) -> None:
        record = {"conditions": conditions, "run": asdict(run)}
        with whole_file(self._path(run.model, run.seed)) as stream:
            stream.write((json.dumps(record, indent=1) + "\n").encode())

    def _path(self, model: str, seed: int) -> Path:
        return self._folder / f"{model}-{seed}.json"
