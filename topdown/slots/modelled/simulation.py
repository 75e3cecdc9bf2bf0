"""The command under valgrind's callgrind, with the host's caches, and what it counted."""

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from stallscope.errors import RecordingError, TargetError, UnableError
from stallscope.printable import printable
from topdown.slots.modelled.cache_options import Cache, Caches
from topdown.slots.modelled.callgrind_file import LONGEST_LINE, Profile, read_profile
from topdown.slots.modelled.native_run import CommandInput, run_once

MOST_PROCESSES = 256
MOST_OUTPUTS = 4096  # one of each thread
MOST_BYTES = 4 * 2**30
MOST_LOG_BYTES = 65_536
_OUTPUT = re.compile(r"callgrind\.out\.\d{1,10}(?:\.\d{1,6})?(?:-(\d{1,6}))?")
_NOTE = re.compile(r"^==\d+== ?(.*)$")


def valgrind_program() -> str:
    """Return valgrind's path; UnableError where there is none."""
    path = shutil.which("valgrind")
    if path is None:
        raise UnableError(
            "--source model runs the command under valgrind, which is not here",
            "install the package valgrind (Debian, Ubuntu, Fedora: valgrind)",
        )
    return path


@dataclass(frozen=True, slots=True)
class Simulator:
    """Runs commands under callgrind with a host's caches, each for at most ``timeout_s``."""

    caches: Caches
    timeout_s: float
    on_wait: Callable[[float], None] | None = None

    def run(
        self,
        command: Sequence[str],
        given: CommandInput,
        *,
        last: Cache,
        alike: Profile | None = None,
    ) -> tuple[Profile, float]:
        """Return what the command's processes executed and missed, and the seconds it took.

        ``last`` stands for the last level. Objects are numbered as in the profile that it shall
        be ``alike``. Raises UnableError where valgrind cannot run it or takes too long, and
        TargetError where it fails in there.
        """
        with tempfile.TemporaryDirectory(prefix="stallscope-model-") as name:
            folder = Path(name)
            words = [valgrind_program(), "--tool=callgrind", *_options(folder, self.caches, last)]
            run = run_once(
                [*words, "--", *command],
                given,
                silent=True,
                timeout_s=self.timeout_s,
                on_wait=self.on_wait,
            )
            outputs = _outputs(folder)
            if run.status != 0 or not outputs:
                raise _failure(command, run.status, _notes(folder))
            profile = Profile() if alike is None else Profile.alike(alike)
            for path in outputs:
                with _lines(path) as lines:
                    read_profile(lines, path.name, profile)
                profile.threads = max(profile.threads, _thread(path))
            return profile, run.wall_s


def _options(folder: Path, caches: Caches, last: Cache) -> list[str]:
    return [
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
    if len(processes) > MOST_PROCESSES or len(paths) > MOST_OUTPUTS:
        raise UnableError(
            f"the command has {len(processes)} processes with {len(paths)} threads: "
            f"{MOST_PROCESSES} and {MOST_OUTPUTS} are read at most",
            "model one of its programs by itself",
        )
    paths = [path for path in paths if path.lstat().st_size]
    if sum(path.lstat().st_size for path in paths) > MOST_BYTES:
        raise UnableError(
            f"callgrind wrote more than {MOST_BYTES >> 30} GiB", "give the command less work"
        )
    return paths


def _thread(path: Path) -> int:
    """Return the number of the thread, from 1, that wrote this output."""
    found = _OUTPUT.fullmatch(path.name)
    return int(found[1]) if found is not None and found[1] else 1


@contextmanager
def _lines(path: Path) -> Iterator[Iterator[str]]:
    with open(path, encoding="utf-8", errors="replace", opener=_open_regular) as file:
        yield _bounded(file)


def _bounded(file: IO[str]) -> Iterator[str]:
    while line := file.readline(LONGEST_LINE + 2):
        yield line


def _open_regular(path: str, flags: int) -> int:
    """Return a descriptor of a regular file; the simulated program may have put another there."""
    remedy = "run the command again"
    try:
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise RecordingError(f"{path}: {error.strerror}", remedy) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RecordingError(f"{path} is no regular file", remedy)
    return descriptor


def _notes(folder: Path) -> str:
    """Return the last thing that valgrind said, for an error's one line."""
    said = ""
    for path in sorted(folder.glob("log.*"))[:MOST_PROCESSES]:
        with open(path, encoding="utf-8", errors="replace", opener=_open_regular) as file:
            for line in file.read(MOST_LOG_BYTES).splitlines():
                found = _NOTE.fullmatch(line)
                text = (found[1] if found else line).strip()
                if text and not text.startswith(("For interactive", "Events", "Collected")):
                    said = text
    return printable(said[:200])


def _failure(command: Sequence[str], status: int, notes: str) -> Exception:
    how = f"was ended by signal {-status}" if status < 0 else f"returned {status}"
    said = f": {notes}" if notes else ""
    return TargetError(
        f"{printable(command[0])} ran by itself, but under valgrind it {how}{said}",
        "see whether `valgrind --tool=callgrind COMMAND` runs it; valgrind does not know every "
        "instruction and system call",
    )
