"""Running stallscope-collect: options, progress messages and orderly end.

The collector is a separate process, so that Python never delays the draining of a ring buffer. It
writes JSON lines to one descriptor and reads ``stop`` from another. If this process dies, the
second descriptor is closed, the kernel sends a signal, and the collector ends its recording.
"""

import os
import signal
import subprocess
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, ClassVar

import msgspec

from stallscope import __version__
from stallscope.collector_lines import CollectorLines
from stallscope.documents import Count, Record
from stallscope.errors import ExitCode, StallscopeError, UnableError
from stallscope.interrupts import count_interrupts
from stallscope.process_end import end_process
from stallscope.programs import program

PROTOCOL = 1

# From the collector's last message to its end, in seconds. It only frees its memory.
_EXIT_LIMIT_S = 10.0


@dataclass(frozen=True, slots=True)
class CollectorOptions:
    """Options of sampling; exactly one of pids, command, system_wide, cpus, cgroup is set."""

    SUBCOMMAND: ClassVar[tuple[str, ...]] = ()

    output: Path
    pids: tuple[int, ...] = ()
    command: tuple[str, ...] = ()
    system_wide: bool = False
    cpus: str = ""
    cgroup: str = ""
    event: str = ""  # empty: hardware cycles if available, else cpu-clock
    counted: tuple[str, ...] = ()  # further events of the group; NAME=TYPE:CONFIG gives an encoding
    leader: str = ""  # leader of the group, if the sampled event cannot lead it
    frequency_hz: int | None = None
    period: int | None = None
    duration_s: float | None = None
    scope: str = ""  # "user", "kernel" (fails without kernel chains) or empty: what is permitted
    force: bool = False
    stacks: str = "auto"  # "fp", "dwarf" or "auto" (chosen by the target's code)
    stack_bytes: int | None = None  # size of a copied stack; None: the collector's default
    python: str = "auto"  # "auto" or "off": reading of CPython frames
    max_size_mib: int | None = None  # None: the collector's default
    max_cost: float | None = None  # share of the target's CPU time that recording waits may cost
    owner_share: float | None = None  # of a CPU: what reading the owners of locks may take
    flight_s: float | None = None  # keep the last seconds in memory, and write them at the end
    flight_memory_mib: int | None = None
    flight_ends: tuple[str, ...] = ()  # reasons of an end after which they are written
    waits: bool = False  # also context switches and wake-ups; Python frames are not read then
    requests: bool = False  # also the marks of requests that the target's processes write
    slow_requests_ns: tuple[int, ...] = ()  # requests above each limit are counted

    def arguments(self) -> list[str]:
        """Return the collector's command line, without the program's name."""
        words = _flags(
            ("--output", str(self.output)),
            ("--pid", ",".join(map(str, self.pids))),
            ("--cpu", self.cpus),
            ("--cgroup", self.cgroup),
            ("--event", self.event),
            ("--with", ",".join(self.counted)),
            ("--leader", self.leader),
            ("--freq", self.frequency_hz),
            ("--count", self.period),
            ("--duration", self.duration_s),
            ("--stacks", self.stacks),
            ("--stack-bytes", self.stack_bytes),
            ("--python", self.python),
            ("--max-size", self.max_size_mib),
            ("--max-cost", self.max_cost),
            ("--owner-share", self.owner_share),
            ("--slow-requests", ",".join(map(str, self.slow_requests_ns))),
            ("--flight", self.flight_s),
            ("--flight-memory", self.flight_memory_mib),
            ("--flight-ends", ",".join(self.flight_ends)),
            ("-a", self.system_wide),
            (f"--{self.scope}", bool(self.scope)),
            ("--waits", self.waits),
            ("--requests", self.requests),
            ("--force", self.force),
        )
        return words + (["--", *self.command] if self.command else [])


@dataclass(frozen=True, slots=True)
class CountOptions:
    """Options of counting; exactly one of pids, tids, command, system_wide, cpus, cgroup is set."""

    SUBCOMMAND: ClassVar[tuple[str, ...]] = ("count",)

    output: Path
    plan: Path  # of schema stallscope.count-plan/1
    pids: tuple[int, ...] = ()
    tids: tuple[int, ...] = ()
    command: tuple[str, ...] = ()
    system_wide: bool = False
    cpus: str = ""
    cgroup: str = ""
    per_thread: bool = False  # count each thread of pids separately
    window_ms: int | None = None  # None: the collector's default
    duration_s: float | None = None
    user_only: bool = False
    force: bool = False
    phases: int | None = None  # descriptor with marks; only what runs between them is counted

    def arguments(self) -> list[str]:
        """Return the collector's command line, without the program's name."""
        words = _flags(
            ("--output", str(self.output)),
            ("--plan", str(self.plan)),
            ("--phases", self.phases),
            ("--pid", ",".join(map(str, self.pids))),
            ("--tid", ",".join(map(str, self.tids))),
            ("--cpu", self.cpus),
            ("--cgroup", self.cgroup),
            ("--window", self.window_ms),
            ("--duration", self.duration_s),
            ("-a", self.system_wide),
            ("--per-thread", self.per_thread),
            ("--user", self.user_only),
            ("--force", self.force),
        )
        return words + (["--", *self.command] if self.command else [])


def _flags(*values: tuple[str, object]) -> list[str]:
    """Return ``FLAG=VALUE`` for values that are set, which may begin with a dash; FLAG for True."""
    return [
        flag if value is True else f"{flag}={value}"
        for flag, value in values
        if value is not False and value not in ("", None)
    ]


class CollectorMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """A JSON line from the collector."""


class Hello(CollectorMessage, frozen=True, kw_only=True, tag="hello"):
    """First message: the collector's version."""

    version: str = "?"
    protocol: int = 0


class Ready(CollectorMessage, frozen=True, kw_only=True, tag="ready"):
    """The collector can be stopped in an orderly way from now on."""


class CollectorWarning(Record, frozen=True, kw_only=True):
    """A warning of the collector."""

    code: str = ""
    message: str = ""


class StackChoice(Record, frozen=True, kw_only=True):
    """How user stacks are recorded, with the reason in words."""

    chosen: str = ""
    text: str = ""


class CollectorProgress(CollectorMessage, frozen=True, kw_only=True, tag="progress"):
    """Numbers so far. Sampling reports samples and losses, counting the windows read."""

    seconds: float = 0.0
    samples: Count = 0
    lost: Count = 0
    size_bytes: Count = msgspec.field(default=0, name="bytes")
    windows: Count = 0
    # Requests that ended so far, then those above each of slow_requests_ns.
    requests: tuple[Count, ...] = ()
    warnings: tuple[CollectorWarning, ...] = ()

    @property
    def kind(self) -> str:
        """Return "started", "progress" or "finished"."""
        return str(self.__struct_config__.tag)

    @property
    def warning_texts(self) -> tuple[str, ...]:
        """Return the texts of the warnings."""
        return tuple(warning.message for warning in self.warnings)


class Started(CollectorProgress, frozen=True, kw_only=True, tag="started"):
    """Measurement has started."""

    pids: tuple[int, ...] = ()
    stacks: StackChoice = StackChoice()


class Finished(CollectorProgress, frozen=True, kw_only=True, tag="finished"):
    """The recording is closed."""

    reason: str = ""


class Failure(CollectorMessage, frozen=True, kw_only=True, tag="error"):
    """The collector failed."""

    message: str = "?"
    remedy: str = ""
    exit_code: int | None = None


_MESSAGES = msgspec.json.Decoder(Hello | Ready | Started | CollectorProgress | Finished | Failure)
CollectorEvent = Hello | Ready | Started | CollectorProgress | Finished | Failure


@dataclass(frozen=True, slots=True)
class CollectionEnd:
    """How a collection ended."""

    exit_code: int
    reason: str
    interrupted: bool  # by one Ctrl-C: the measurement was ended early and kept


def collect(
    options: CollectorOptions | CountOptions,
    on_progress: Callable[[CollectorProgress], None],
    command_output: IO[str] | None = None,
    beside: Callable[[BinaryIO], AbstractContextManager[object]] = nullcontext,
) -> CollectionEnd:
    """Return how the collection ended, once the recording in ``options.output`` is closed.

    While the collector runs, the context of ``beside`` is entered. It may write lines to the
    collector's control stream, which is closed after Ctrl-C.

    The first Ctrl-C ends the measurement, also if only this process receives it; a second one
    raises KeyboardInterrupt. The command's standard output goes to ``command_output`` if given.
    Errors of the collector are raised as StallscopeError with its exit code. On any exception the
    collector is ended first, by force if it does not end itself.
    """
    progress_read, progress_write = os.pipe()
    control_read, control_write = os.pipe()
    arguments = collector_arguments(options, progress_write, control_read)
    with open(progress_read, "rb") as progress, open(control_write, "wb") as control:
        try:
            process = subprocess.Popen(
                arguments, pass_fds=(progress_write, control_read), stdout=command_output
            )
        finally:
            os.close(progress_write)
            os.close(control_read)
        try:
            with (
                closing(CollectorLines(progress.fileno(), stop=control.close)) as lines,
                count_interrupts(lines.interrupt) as interrupts,
                beside(control),
            ):
                last = read_messages(lines, on_progress)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_EXIT_LIMIT_S)
        finally:
            control.close()
            end_process(process)
        return collection_end(last, process.returncode, interrupts.count > 0)


def collector_arguments(
    options: CollectorOptions | CountOptions, progress: int, control: int
) -> list[str]:
    """Return the collector's whole command line; it inherits both descriptors."""
    return [
        str(program("stallscope-collect")),
        *options.SUBCOMMAND,
        f"--protocol={PROTOCOL}",
        f"--progress-fd={progress}",
        f"--control-fd={control}",
        "--die-with-parent",
        *options.arguments(),
    ]


def read_messages(
    lines: Iterable[bytes], on_progress: Callable[[CollectorProgress], None]
) -> CollectorEvent | None:
    """Return the last message, and pass all progress to ``on_progress``.

    An error is the last message: a thread that waits in the kernel may keep the pipe open after it.
    """
    last: CollectorEvent | None = None
    for line in lines:
        try:
            last = _MESSAGES.decode(line)
        except msgspec.DecodeError:
            continue  # a line cut off when the collector died; the exit code reports that
        if isinstance(last, Hello):
            _check_version(last)
        elif isinstance(last, CollectorProgress):
            on_progress(last)
        elif isinstance(last, Failure):
            break
    return last


def _check_version(hello: Hello) -> None:
    if hello.version != __version__ or hello.protocol != PROTOCOL:
        raise UnableError(
            f"stallscope-collect is version {hello.version}, protocol {hello.protocol}; "
            f"expected {__version__}, protocol {PROTOCOL}",
            "install stallscope again, or in a checkout run ./dev build",
        )


def collection_end(last: CollectorEvent | None, exit_code: int, interrupted: bool) -> CollectionEnd:
    """Return how a collection ended. Raises the collector's error."""
    if isinstance(last, Failure):
        error = StallscopeError(last.message, last.remedy)
        error.exit_code = _exit_code(exit_code if last.exit_code is None else last.exit_code)
        raise error
    if exit_code < 0:
        raise UnableError(
            f"stallscope-collect was ended by {signal.Signals(-exit_code).name}",
            "the data written so far are kept: show them with stallscope report",
        )
    reason = last.reason if isinstance(last, Finished) else ""
    if exit_code != 0 and not reason:
        raise UnableError(
            f"stallscope-collect ended with status {exit_code}", "run stallscope doctor"
        )
    return CollectionEnd(exit_code, reason, interrupted)


def _exit_code(code: int) -> ExitCode:
    try:
        return ExitCode(code)
    except ValueError:
        return ExitCode.UNABLE
