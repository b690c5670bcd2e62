"""Running `abcnn` as a user does: its real process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "data" / "samples"
TASKS = ("answer-selection", "paraphrase", "entailment", "similarity")
# The smallest and fastest network that still goes through every part of training.
TINY = ("--model", "bcnn", "--dim", "8", "--filters", "4", "--batch-size", "64")


def command_line(*arguments: object) -> list[str]:
    """`python cli.py` and the arguments."""
    return [sys.executable, str(ROOT / "cli.py"), *map(str, arguments)]


def environment(**changes: str) -> dict[str, str]:
    """The tests' environment without defaults for the options of `abcnn`, and with `changes`."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("ABCNN_")}
    return own | changes


def abcnn(
    *arguments: object,
    cwd: Path,
    stdin: str | bytes | None = None,
    preexec_fn: Callable[[], None] | None = None,
    **changes: str,
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end; its output is decoded as UTF-8, `changes` are of environment."""
    done = subprocess.run(
        command_line(*arguments),
        cwd=cwd,
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        env=environment(**changes),
        preexec_fn=preexec_fn,
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def start(
    *arguments: object, cwd: Path, stdin: int | IO[bytes] = subprocess.DEVNULL
) -> subprocess.Popen[str]:
    """Start the command and go on at once, as a shell starts it in the foreground."""
    return subprocess.Popen(
        command_line(*arguments),
        cwd=cwd,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        # A process started in the background of a script would not hear Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def read_until(lines: Iterable[str], beginning: str) -> list[str]:
    """The lines up to the first that begins so; AssertionError when there is none."""
    seen = []
    for line in lines:
        seen.append(line)
        if line.startswith(beginning):
            return seen
    raise AssertionError(f"no line begins with {beginning!r}: {seen}")


def error_of(done: subprocess.CompletedProcess[str], *, alone: bool = True) -> str:
    """The one line `Error: ...` of a command that failed as it should, without the `Error: `.

    It ends stderr; with `alone` there is nothing else on stderr. stdout is empty.
    """
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    *before, line = done.stderr.splitlines()
    assert not (alone and before), before
    assert not [other for other in before if other.startswith("Error")]
    assert line.startswith("Error: ")
    return line.removeprefix("Error: ")


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its relative path: hidden ones, temporary ones too."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
