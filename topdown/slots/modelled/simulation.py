"""Simulation of a command by valgrind's callgrind with the host's caches."""

import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from stallscope.errors import RecordingError, TargetError, UnableError
from stallscope.printable import printable
from stallscope.programs import installed_program
from topdown.slots.modelled.cache_options import Cache, Caches
from topdown.slots.modelled.callgrind_file import MAX_LINE_CHARS, CallgrindProfile, read_profile
from topdown.slots.modelled.native_run import CommandInput, run_once

MAX_PROCESSES = 256
MAX_OUTPUTS = 4096  # one per thread
MAX_BYTES = 4 * 2**30
MAX_LOG_BYTES = 65_536
_OUTPUT = re.compile(r"callgrind\.out\.\d{1,10}(?:\.\d{1,6})?(?:-(\d{1,6}))?")
_NOTE = re.compile(r"^==\d+== ?(.*)$")


def valgrind_program() -> str:
    """Return the path of valgrind. Raises UnableError without it."""
    path = installed_program("valgrind")
    if path is None:
        raise UnableError(
            "--source model runs the command under valgrind, which is not installed",
            "install the package valgrind (Debian, Ubuntu, Fedora: valgrind)",
        )
    return str(path)


@dataclass(frozen=True, slots=True)
class Simulator:
    """Runs commands under callgrind with a host's caches and a time limit.

    With ``counted_function``, only what this function executes is counted.
    """

    caches: Caches
    timeout_s: float
    on_wait: Callable[[float], None] | None = None
    counted_function: str = ""

    def run(
        self,
        command: Sequence[str],
        command_input: CommandInput,
        *,
        last: Cache,
        objects_of: CallgrindProfile | None = None,
    ) -> tuple[CallgrindProfile, float]:
        """Return the counts of the command's processes and the duration in seconds.

        ``last`` is the simulated last level. Objects are numbered as in ``objects_of``. Raises
        UnableError if valgrind cannot run it or exceeds the time limit, and TargetError if the
        command fails under valgrind.
        """
        with tempfile.TemporaryDirectory(prefix="stallscope-model-") as name:
            folder = Path(name)
            words = [valgrind_program(), "--tool=callgrind", *_options(folder, self.caches, last)]
            if self.counted_function:
                words += ["--collect-atstart=no", f"--toggle-collect={self.counted_function}"]
            run = run_once(
                [*words, "--", *command],
                command_input,
                silent=True,
                timeout_s=self.timeout_s,
                on_wait=self.on_wait,
            )
            outputs = _outputs(folder)
            if run.status != 0 or not outputs:
                raise _failure(command, run.status, _notes(folder))
            profile = (
                CallgrindProfile()
                if objects_of is None
                else CallgrindProfile.with_objects_of(objects_of)
            )
            for path in outputs:
                with _lines(path) as lines:
                    read_profile(lines, path.name, profile)
                profile.threads = max(profile.threads, _thread(path))
            return profile, run.wall_s


def _options(folder: Path, caches: Caches, last: Cache) -> list[str]:
    return [
        "--command-line-only=yes",  # no options from ./.valgrindrc or the environment
        "--cache-sim=yes",
        "--branch-sim=yes",
        "--dump-instr=yes",
        "--collect-jumps=yes",
        "--compress-pos=no",
        "--trace-children=yes",
        "--separate-threads=yes",
        f"--I1={caches.l1i.option}",
        f"--D1={caches.l1d.option}",
        f"--LL={last.option}",
        f"--callgrind-out-file={folder}/callgrind.out.%p",
        f"--log-file={folder}/log.%p",
    ]


def _outputs(folder: Path) -> list[Path]:
    paths = sorted(path for path in folder.iterdir() if _OUTPUT.fullmatch(path.name))
    processes = {path.name.partition("-")[0] for path in paths}
    if len(processes) > MAX_PROCESSES or len(paths) > MAX_OUTPUTS:
        raise UnableError(
            f"the command has {len(processes)} processes with {len(paths)} threads; the limits are "
            f"{MAX_PROCESSES} and {MAX_OUTPUTS}",
            "model one of its programs",
        )
    paths = [path for path in paths if path.lstat().st_size]
    if sum(path.lstat().st_size for path in paths) > MAX_BYTES:
        raise UnableError(
            f"callgrind wrote more than {MAX_BYTES >> 30} GiB", "give the command less work"
        )
    return paths


def _thread(path: Path) -> int:
    """Return the number of the thread, from 1, that wrote this output."""
    match = _OUTPUT.fullmatch(path.name)
    return int(match[1]) if match is not None and match[1] else 1


@contextmanager
def _lines(path: Path) -> Iterator[Iterator[str]]:
    with open(path, encoding="utf-8", errors="replace", opener=_open_regular) as file:
        yield _bounded(file)


def _bounded(file: IO[str]) -> Iterator[str]:
    while line := file.readline(MAX_LINE_CHARS + 2):
        yield line


def _open_regular(path: str, flags: int) -> int:
    """Return a descriptor of a regular file; the simulated program may have replaced it."""
    remedy = "run the command again"
    try:
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise RecordingError(f"{path}: {error.strerror}", remedy) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RecordingError(f"{path} is not a regular file", remedy)
    return descriptor


def _notes(folder: Path) -> str:
    """Return the last message of valgrind, for an error in one line."""
    message = ""
    for path in sorted(folder.glob("log.*"))[:MAX_PROCESSES]:
        with open(path, encoding="utf-8", errors="replace", opener=_open_regular) as file:
            for line in file.read(MAX_LOG_BYTES).splitlines():
                match = _NOTE.fullmatch(line)
                text = (match[1] if match else line).strip()
                if text and not text.startswith(("For interactive", "Events", "Collected")):
                    message = text
    return printable(message[:200])


def _failure(command: Sequence[str], status: int, notes: str) -> Exception:
    how = f"was ended by signal {-status}" if status < 0 else f"returned status {status}"
    reason = f": {notes}" if notes else ""
    return TargetError(
        f"{printable(command[0])} runs natively, but under valgrind it {how}{reason}",
        "check whether `valgrind --tool=callgrind COMMAND` runs it; valgrind does not support all "
        "instructions and system calls",
    )
