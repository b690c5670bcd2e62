"""The trials on disk: Optuna's journal in a folder, of which a search goes on after kill -9."""

from __future__ import annotations

import fcntl
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abcnn.errors import InputError, OutputError, require
from abcnn.search.records import TrialRow
from abcnn.search.space import Dimension, Range, drawn_values
from abcnn.training.many_runs import differences

if TYPE_CHECKING:
    import optuna

JOURNAL = "journal.log"
_HEAD = b'{"op_code":'  # How Optuna begins each line.
_STUDY, _CONDITIONS, _OUTCOME, _INTERRUPTED = "abcnn", "conditions", "outcome", "interrupted"
_MIXED = 1_000_003  # A prime, so that no two small seeds share the numbers of their trials.


def check_folder(out: Path) -> None:
    """InputError when `out` is no folder for a search: a file, or full of something else."""
    try:
        if out.exists() and not out.is_dir():
            raise InputError(f"{out}: expected a folder to write. Received: a file")
        if out.is_dir() and any(out.iterdir()) and not (out / JOURNAL).is_file():
            raise InputError(f"{out}: is not empty and holds no search, so it is left alone")
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror}") from error


@contextmanager
def locked_journal(out: Path) -> Iterator[Path]:
    """The path of `out/journal.log`, which is there and for the time of the block ours alone.

    What was not there before and is still empty at the end, the file and its folders, is removed.
    Raises InputError as `check_folder` does, for a file that is no journal, which is left as it is,
    and when another process works on it; MissingExtraError without Optuna.
    """
    optuna = require("optuna", "search")
    check_folder(out)
    path = out / JOURNAL
    made = [one for one in (out, *out.parents) if not one.exists()]
    there = path.exists()
    try:
        out.mkdir(parents=True, exist_ok=True)
        file = path.open("ab+")
    except OSError as error:
        raise OutputError(f"{out}: cannot be written: {error.strerror}") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{out}: another process is searching there") from None
        file.seek(0)
        head = file.read(len(_HEAD))
        # A killed process may have written less than all of it.
        if not _HEAD.startswith(head):
            raise _no_journal(path, repr(head.decode(errors="replace")))
        # Nobody else is here, so it is what a killed process left.
        path.with_name(f"{JOURNAL}.lock").unlink(missing_ok=True)
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        try:
            with warnings.catch_warnings():
                # Of parts that Optuna calls experimental; an epoch that is reported again.
                warnings.simplefilter("ignore")
                yield path
        finally:
            # What another has put into the folder meanwhile stays, and the folder with it.
            with suppress(OSError):
                if not there and not path.stat().st_size:
                    path.unlink()
                    for folder in made:
                        folder.rmdir()


def kept_study(path: Path, conditions: Mapping[str, Any]) -> optuna.Study | None:
    """The study in a locked journal; None when it holds none, or one that nothing came of yet and
    whose conditions were others.

    A trial that was running when its process ended is marked as failed. Raises InputError for a
    journal that cannot be read, or of other conditions.
    """
    optuna = require("optuna", "search")
    _mend(path)
    try:
        storage = _storage(path)
        names = optuna.get_all_study_names(storage)
        if not names:
            return None
        study = optuna.load_study(study_name=_STUDY, storage=storage)
        found = study.user_attrs.get(_CONDITIONS)
        trials = study.get_trials(deepcopy=False)
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError) as error:
        line = next(iter(str(error).splitlines()), type(error).__name__)
        raise _no_journal(path, line) from error
    if other := differences(found or {}, conditions):
        if not any(_OUTCOME in trial.user_attrs for trial in trials):
            return None
        raise InputError(
            f"{path}: the trials there have other {', '.join(other)}. To go on with them, give the "
            "same; to begin anew, --force"
        )
    for trial in study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.RUNNING,)):
        study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
    return study


def new_study(path: Path, conditions: Mapping[str, Any]) -> optuna.Study:
    """An empty study in a locked journal, whose content is forgotten.

    `conditions` are all that decides what comes of a trial with given options.
    """
    os.truncate(path, 0)
    study: optuna.Study = require("optuna", "search").create_study(
        study_name=_STUDY, storage=_storage(path), direction="maximize"
    )
    study.set_user_attr(_CONDITIONS, dict(conditions))
    return study


def _mend(path: Path) -> None:
    """Cut off the line that a killed process did not write to its end."""
    os.truncate(path, path.read_bytes().rfind(b"\n") + 1)


def _storage(path: Path) -> Any:
    optuna = require("optuna", "search")
    journal = optuna.storages.journal
    lock = journal.JournalFileOpenLock(str(path))
    return optuna.storages.JournalStorage(journal.JournalFileBackend(str(path), lock_obj=lock))


def _no_journal(path: Path, received: str) -> InputError:
    return InputError(f"{path}: expected the journal of a search. Received: {received}")


def trial_rows(study: optuna.Study, space: Mapping[str, Dimension]) -> tuple[TrialRow, ...]:
    """The trials that came to an end, numbered from 1; those whose process ended are none."""
    rows: list[TrialRow] = []
    for trial in study.get_trials(deepcopy=False):
        outcome = trial.user_attrs.get(_OUTCOME)
        # A measure that was noted, but not told, when the process ended, is run again.
        lost = trial.state.name == "FAIL" and outcome and outcome["state"] != "failed"
        if trial.state.is_finished() and outcome and not lost:
            values = drawn_values(space, trial.params)
            rows.append(TrialRow(**outcome, number=len(rows) + 1, values=values))
    return tuple(rows)


def next_trial(
    study: optuna.Study,
    space: Mapping[str, Dimension],
    *,
    start: Mapping[str, float | str],
    done: int,
    seed: int,
) -> optuna.Trial:
    """The next trial, a function of the `done` ones that ended and of the seed.

    So a search that goes on after a kill makes the trials that it would have made. The first one
    is at `start`.
    """
    optuna = require("optuna", "search")
    study.sampler = optuna.samplers.TPESampler(seed=(seed * _MIXED + done) % 2**32)
    waiting = (optuna.trial.TrialState.WAITING,)
    if done == 0 and not study.get_trials(deepcopy=False, states=waiting):
        study.enqueue_trial(dict(start))
    return study.ask({name: _distribution(one) for name, one in space.items()})


def _distribution(dimension: Dimension) -> Any:
    distributions = require("optuna", "search").distributions
    if not isinstance(dimension, Range):
        return distributions.CategoricalDistribution(dimension.values)
    kind = "IntDistribution" if dimension.whole else "FloatDistribution"
    return getattr(distributions, kind)(dimension.low, dimension.high, log=dimension.log)


def keep(study: optuna.Study, trial: optuna.Trial, row: TrialRow) -> None:
    """Note what came of a trial."""
    states = require("optuna", "search").trial.TrialState
    outcome = {
        name: value for name, value in asdict(row).items() if name not in ("number", "values")
    }
    trial.set_user_attr(_OUTCOME, outcome)
    if row.state == "finished":
        study.tell(trial, row.dev)
    else:
        study.tell(trial, state=states.PRUNED if row.state == "pruned" else states.FAIL)


def let_go(study: optuna.Study, trial: optuna.Trial) -> None:
    """Note that a trial was given up from outside, which says nothing of its values."""
    trial.set_user_attr(_INTERRUPTED, True)
    study.tell(trial, state=require("optuna", "search").trial.TrialState.FAIL)


def endings(study: optuna.Study, trial: optuna.Trial) -> int:
    """How often a process ended, as when killed, while it ran a trial with the same values."""
    return sum(
        other.number != trial.number
        and other.state.name == "FAIL"
        and other.params == trial.params
        and not {_OUTCOME, _INTERRUPTED} & set(other.user_attrs)
        for other in study.get_trials(deepcopy=False)
    )


def importance(study: optuna.Study, rows: Sequence[TrialRow], least: int = 8) -> dict[str, float]:
    """The share of each option in the differences between measures, the largest first.

    Empty with fewer than `least` finished trials, whose differences are chance, or when all
    measures are the same. By functional ANOVA (Hutter et al. 2014) over a forest of one seed, so
    that the same trials have the same shares.
    """
    measures = [row.dev for row in rows if row.state == "finished"]
    if len(measures) < least or len(set(measures)) == 1:
        return {}
    judged = require("optuna", "search").importance
    try:
        found = judged.get_param_importances(
            study, evaluator=judged.FanovaImportanceEvaluator(seed=0)
        )
    except (ValueError, RuntimeError):  # It may want more different trials than there are.
        return {}
    return {name: float(share) for name, share in found.items()}
