"""A tracefs instance of our own: its buffers, events and clock are nobody else's.

Other tracers are not disturbed. When the tracer is killed a guardian removes its instance; where
that was killed as well the next tracer does, as an instance's name holds the process that made it.
Documentation/trace/ftrace.rst.
"""

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from stallscope.errors import StallscopeError, UnableError
from stallscope.guardian import start_guardian
from stallscope.system_files import names_in, numbers_in, read_text

TRACEFS = (Path("/sys/kernel/tracing"), Path("/sys/kernel/debug/tracing"))
BUFFER_KB = 4096  # of each CPU: some 80,000 events, a second of the busiest we know
_TRIES, _BETWEEN_S = 50, 0.1  # of a guardian: what was killed may not be gone altogether
_LOSSES = ("overrun", "commit overrun", "dropped events")  # kernel/trace/trace.c
_NAME = re.compile(r"stallscope-(\d{1,10})-(\d{1,20})")


class TraceInstance:
    """An instance's files; made by open_instance()."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def events(self) -> Path:
        """Return the folder of its tracepoints."""
        return self._folder / "events"

    def write(self, name: str, text: str) -> None:
        """Write to one of its files; UnableError where the kernel refuses."""
        path = self._folder / name
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                os.write(descriptor, text.encode())
            finally:
                os.close(descriptor)
        except OSError as error:
            raise UnableError(
                f"cannot write {text!r} to {path}: {error.strerror}",
                "measure without tracepoints on this kernel",
            ) from error

    def cpus(self) -> tuple[int, ...]:
        """Return the CPUs that have a buffer."""
        return numbers_in(self._folder / "per_cpu", "cpu")

    def open_pages(self, cpu: int) -> int:
        """Return a descriptor of a CPU's raw pages, which reads without waiting."""
        path = self._folder / "per_cpu" / f"cpu{cpu}" / "trace_pipe_raw"
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)

    def page_bytes(self) -> int:
        """Return the size of the pages that are read."""
        kb = read_text(self._folder / "buffer_subbuf_size_kb", 64)
        return int(kb) * 1024 if kb and kb.isdecimal() else os.sysconf("SC_PAGE_SIZE")

    def lost_events(self) -> int | None:
        """Return how many events the kernel could not keep, of all CPUs.

        None where a CPU's counts cannot be read, or lack one of them: there may be more.
        """
        counts = [
            count
            for cpu in self.cpus()
            for count in _losses(self._folder / "per_cpu" / f"cpu{cpu}" / "stats")
        ]
        known = [count for count in counts if count is not None]
        return sum(known) if known and len(known) == len(counts) else None


def _losses(stats: Path) -> list[int | None]:
    """Return what a CPU lost of each kind; None of one that its file does not tell."""
    lines = (line.partition(":") for line in (read_text(stats, 4096) or "").splitlines())
    values = {label: value.strip() for label, _, value in lines}
    found = [values.get(label, "") for label in _LOSSES]
    return [int(value) if value.isdecimal() else None for value in found]


def tracefs() -> Path:
    """Return where tracefs is; UnableError where it is not mounted or not ours to use."""
    for folder in TRACEFS:
        if os.access(folder / "instances", os.W_OK):  # false, too, where it cannot be looked at
            return folder
    if os.geteuid() != 0:
        raise UnableError("tracepoints can be used by root only", "run as root")
    raise UnableError(
        "tracefs is not mounted, or this kernel has none",
        "mount it: mount -t tracefs none /sys/kernel/tracing",
    )


@contextmanager
def open_instance(
    root: Path, filters: Mapping[str, str], *, buffer_kb: int = BUFFER_KB
) -> Iterator[TraceInstance]:
    """Make an instance with these tracepoints, each with its filter, stopped; remove it at the end.

    Its clock is CLOCK_MONOTONIC, as that of timers' expiry. ``buffer_kb`` is of each CPU.
    """
    instances = root / "instances"
    remove_left(instances)
    folder = instances / f"stallscope-{os.getpid()}-{_started(os.getpid())}"
    with _guarded(folder):
        try:
            folder.mkdir(mode=0o700)
        except OSError as error:
            raise UnableError(f"cannot make {folder}: {error.strerror}", "run as root") from error
        instance = TraceInstance(folder)
        instance.write("tracing_on", "0")
        instance.write("trace_clock", "mono")
        instance.write("buffer_size_kb", str(buffer_kb))
        for name, wanted in filters.items():
            if wanted:
                instance.write(f"events/{name}/filter", wanted)
            instance.write(f"events/{name}/enable", "1")
        yield instance


@contextmanager
def _guarded(folder: Path) -> Iterator[None]:
    """Run the body; the instance is removed at its end, be it by a kill."""
    guardian = start_guardian(__name__, [str(folder)])
    try:
        guardian.wait_ready()
        yield
    finally:
        _remove(folder)
        guardian.dismiss()


def put_away(heard: Sequence[str], words: Sequence[str]) -> None:
    """Remove the instance of a tracer that was killed; a guardian calls it."""
    del heard
    for _ in range(_TRIES):
        if _remove(Path(words[0])):
            return
        time.sleep(_BETWEEN_S)


def _remove(folder: Path) -> bool:
    """Return whether an instance is gone: stopped and removed, unless somebody reads it."""
    with suppress(StallscopeError):
        TraceInstance(folder).write("tracing_on", "0")
    with suppress(OSError):
        folder.rmdir()
    return not folder.exists()


def remove_left(instances: Path, proc: Path = Path("/proc")) -> None:
    """Remove instances whose makers ended without doing so."""
    for name in names_in(instances):
        made = _NAME.fullmatch(name)
        if made and _started(int(made[1]), proc) != made[2]:
            with suppress(OSError):  # somebody reads it
                (instances / name).rmdir()


def _started(pid: int, proc: Path = Path("/proc")) -> str:
    """Return when a process began, in ticks since boot; empty where there is none, or it ended.

    What was killed may stay a zombie for as long as its parent likes.
    """
    text = read_text(proc / str(pid) / "stat", 4096) or ""
    words = text.rpartition(")")[2].split()
    return words[19] if len(words) > 19 and words[0] not in ("Z", "X") else ""
