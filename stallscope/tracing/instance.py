"""A private tracefs instance with its own buffers, events and clock.

Other tracers are not disturbed. If the tracer is killed, a guardian removes its instance; if the
guardian is killed too, the next tracer does, because the name of an instance identifies the process
that created it. Source: Documentation/trace/ftrace.rst.
"""

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from stallscope.errors import StallscopeError, UnableError
from stallscope.guardian import start_guardian
from stallscope.process_group import ProcessGroup
from stallscope.system_files import names_in, numbers_in, read_text

TRACEFS = (Path("/sys/kernel/tracing"), Path("/sys/kernel/debug/tracing"))
BUFFER_KB = 4096  # per CPU: about 80,000 events, a second of the busiest known machine
_REMOVAL_TRIES, _RETRY_S = 50, 0.1  # a killed tracer may hold the instance for a while
_LOSSES = ("overrun", "commit overrun", "dropped events")  # kernel/trace/trace.c
_NAME = re.compile(r"stallscope-(\d{1,10})-(\d{1,20})")


class TraceInstance:
    """The files of an instance that open_instance() has created."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def events(self) -> Path:
        """Return the folder of tracepoints."""
        return self._folder / "events"

    def write(self, name: str, text: str) -> None:
        """Write to a file of the instance; UnableError if the kernel rejects it."""
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
        """Return the CPUs with a buffer."""
        return numbers_in(self._folder / "per_cpu", "cpu")

    def open_pages(self, cpu: int) -> int:
        """Return a non-blocking descriptor of the raw pages of a CPU."""
        path = self._folder / "per_cpu" / f"cpu{cpu}" / "trace_pipe_raw"
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)

    def page_bytes(self) -> int:
        """Return the size of a page."""
        kb = read_text(self._folder / "buffer_subbuf_size_kb", 64)
        return int(kb) * 1024 if kb and kb.isdecimal() else os.sysconf("SC_PAGE_SIZE")

    def lost_events(self) -> int | None:
        """Return the number of lost events of all CPUs; None if a CPU's counts are incomplete."""
        counts = [
            count
            for cpu in self.cpus()
            for count in _losses(self._folder / "per_cpu" / f"cpu{cpu}" / "stats")
        ]
        numbers = [count for count in counts if count is not None]
        return sum(numbers) if numbers and len(numbers) == len(counts) else None


def _losses(stats: Path) -> list[int | None]:
    """Return the losses of a CPU of each kind; None for a kind that is not in its file."""
    lines = (line.partition(":") for line in (read_text(stats, 4096) or "").splitlines())
    values = {label: value.strip() for label, _, value in lines}
    losses = [values.get(label, "") for label in _LOSSES]
    return [int(value) if value.isdecimal() else None for value in losses]


def tracefs() -> Path:
    """Return the mount point of tracefs; UnableError if it is not mounted or not permitted."""
    for folder in TRACEFS:
        if os.access(folder / "instances", os.W_OK):  # also false without permission to look
            return folder
    if os.geteuid() != 0:
        raise UnableError("only root can use tracepoints", "run as root")
    raise UnableError(
        "tracefs is not mounted, or this kernel does not have it",
        "mount it: mount -t tracefs none /sys/kernel/tracing",
    )


@contextmanager
def open_instance(
    root: Path, filters: Mapping[str, str], *, buffer_kb: int = BUFFER_KB
) -> Iterator[TraceInstance]:
    """Create a stopped instance with these tracepoints and filters; remove it at the end.

    Its clock is CLOCK_MONOTONIC, as for the expiry of timers. ``buffer_kb`` is per CPU.
    """
    instances = root / "instances"
    remove_stale_instances(instances)
    folder = instances / f"stallscope-{os.getpid()}-{_start_ticks(os.getpid())}"
    with _guarded(folder):
        try:
            folder.mkdir(mode=0o700)
        except OSError as error:
            raise UnableError(f"cannot create {folder}: {error.strerror}", "run as root") from error
        instance = TraceInstance(folder)
        instance.write("tracing_on", "0")
        instance.write("trace_clock", "mono")
        instance.write("buffer_size_kb", str(buffer_kb))
        for name, event_filter in filters.items():
            if event_filter:
                instance.write(f"events/{name}/filter", event_filter)
            instance.write(f"events/{name}/enable", "1")
        yield instance


@contextmanager
def _guarded(folder: Path) -> Iterator[None]:
    """Run the block and remove the instance at its end, also if the process is killed."""
    guardian = start_guardian(__name__, [str(folder)])
    try:
        guardian.wait_ready()
        yield
    finally:
        _remove(folder)
        guardian.dismiss()


def clean_up(groups: Sequence[ProcessGroup], words: Sequence[str]) -> None:
    """Remove the instance of a killed tracer; called by the guardian."""
    del groups
    for _ in range(_REMOVAL_TRIES):
        if _remove(Path(words[0])):
            return
        time.sleep(_RETRY_S)


def _remove(folder: Path) -> bool:
    """Stop and remove an instance; return False if another process still reads it."""
    with suppress(StallscopeError):
        TraceInstance(folder).write("tracing_on", "0")
    with suppress(OSError):
        folder.rmdir()
    return not folder.exists()


def remove_stale_instances(instances: Path, proc: Path = Path("/proc")) -> None:
    """Remove the instances of processes that ended without removing them."""
    for name in names_in(instances):
        match = _NAME.fullmatch(name)
        if match and _start_ticks(int(match[1]), proc) != match[2]:
            with suppress(OSError):  # another process reads it
                (instances / name).rmdir()


def _start_ticks(pid: int, proc: Path = Path("/proc")) -> str:
    """Return the start time of a process in ticks since boot; empty if it does not run.

    A killed process may stay a zombie until its parent waits for it.
    """
    text = read_text(proc / str(pid) / "stat", 4096) or ""
    words = text.rpartition(")")[2].split()
    return words[19] if len(words) > 19 and words[0] not in ("Z", "X") else ""
