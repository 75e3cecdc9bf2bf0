"""Running stallscope-collect: its options, its progress lines, and its orderly end.

The collector is a process of its own, so that nothing Python does delays the draining of a ring.
It reports JSON lines on one descriptor and takes ``stop`` on another; when this process dies, the
second closes and the collector ends its recording by itself.
"""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, ClassVar

from stallscope import __version__
from stallscope.errors import ExitCode, StallscopeError, UnableError
from stallscope.interrupts import ctrl_c_counted
from stallscope.json_fields import Fields
from stallscope.programs import program

PROTOCOL = 1


@dataclass(frozen=True, slots=True)
class CollectorOptions:
    """What to observe and how; one of pids, command, system_wide, cpus, cgroup is set."""

    SUBCOMMAND: ClassVar[tuple[str, ...]] = ()

    output: Path
    pids: tuple[int, ...] = ()
    command: tuple[str, ...] = ()
    system_wide: bool = False
    cpus: str = ""
    cgroup: str = ""
    event: str = ""  # empty: the ladder of hardware cycles, then cpu-clock
    counted: tuple[str, ...] = ()  # events counted in its group; NAME=TYPE:CONFIG brings a code
    leader: str = ""  # the event that leads this group, where the sampled one cannot
    frequency_hz: int | None = None
    period: int | None = None
    duration_s: float | None = None
    scope: str = ""  # "user", "kernel" (kernel chains are a must) or empty: what is allowed
    force: bool = False
    stacks: str = "auto"  # "fp", "dwarf" or "auto": what the target's code needs
    stack_bytes: int | None = None  # of each copied stack; None: the collector's default
    python: str = "auto"  # "auto" or "off": whether the frames of CPython are read

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
        )
        words += ["-a"] if self.system_wide else []
        words += [f"--{self.scope}"] if self.scope else []
        words += ["--force"] if self.force else []
        return words + (["--", *self.command] if self.command else [])


@dataclass(frozen=True, slots=True)
class CountOptions:
    """What to count and how; one of pids, tids, command, system_wide, cpus, cgroup is set."""

    SUBCOMMAND: ClassVar[tuple[str, ...]] = ("count",)

    output: Path
    plan: Path  # of schema stallscope.count-plan/1
    pids: tuple[int, ...] = ()
    tids: tuple[int, ...] = ()
    command: tuple[str, ...] = ()
    system_wide: bool = False
    cpus: str = ""
    cgroup: str = ""
    per_thread: bool = False  # each thread of pids for itself
    window_ms: int | None = None  # None: the collector's default
    duration_s: float | None = None
    user_only: bool = False
    force: bool = False

    def arguments(self) -> list[str]:
        """Return the collector's command line, without the program's name."""
        words = _flags(
            ("--output", str(self.output)),
            ("--plan", str(self.plan)),
            ("--pid", ",".join(map(str, self.pids))),
            ("--tid", ",".join(map(str, self.tids))),
            ("--cpu", self.cpus),
            ("--cgroup", self.cgroup),
            ("--window", self.window_ms),
            ("--duration", self.duration_s),
        )
        words += ["-a"] if self.system_wide else []
        words += ["--per-thread"] if self.per_thread else []
        words += ["--user"] if self.user_only else []
        words += ["--force"] if self.force else []
        return words + (["--", *self.command] if self.command else [])


def _flags(*values: tuple[str, object]) -> list[str]:
    """Return each flag that has a value as one word: a value may begin with a dash."""
    return [f"{flag}={value}" for flag, value in values if value not in ("", None)]


@dataclass(frozen=True, slots=True)
class Progress:
    """One line of progress; ``kind`` is "started", "progress" or "finished".

    Sampling tells samples and losses, counting how many windows it has read.
    """

    kind: str
    seconds: float
    samples: int
    lost: int
    size_bytes: int
    warnings: tuple[str, ...] = ()
    pids: tuple[int, ...] = ()
    stacks: str = ""  # how user stacks are recorded and why so, for a person
    windows: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a collection ended."""

    exit_code: int
    reason: str
    interrupted: bool  # by Ctrl-C, once: the measurement was ended early and kept


def collect(
    options: CollectorOptions | CountOptions,
    on_progress: Callable[[Progress], None],
    command_output: IO[str] | None = None,
) -> Outcome:
    """Return how the collection ended, once the recording in ``options.output`` is closed.

    The first Ctrl-C ends the measurement; a second one raises KeyboardInterrupt. With
    ``command_output`` the command's standard output goes there. Raises the collector's own errors
    as StallscopeError with the exit code it gave.
    """
    executable = program("stallscope-collect")
    progress_read, progress_write = os.pipe()
    control_read, control_write = os.pipe()
    arguments = [
        str(executable),
        *options.SUBCOMMAND,
        f"--protocol={PROTOCOL}",
        f"--progress-fd={progress_write}",
        f"--control-fd={control_read}",
        *options.arguments(),
    ]
    with ctrl_c_counted() as interrupts, open(progress_read, "rb") as lines:
        try:
            process = subprocess.Popen(
                arguments, pass_fds=(progress_write, control_read), stdout=command_output
            )
        finally:
            os.close(progress_write)
            os.close(control_read)
        try:
            last = _follow(lines, on_progress)
            exit_code = process.wait()
        finally:
            os.close(control_write)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=10)
        return _outcome(last, exit_code, interrupts.count > 0)


def _follow(lines: IO[bytes], on_progress: Callable[[Progress], None]) -> Fields | None:
    """Return the last line, "finished" or "error", after passing on those before it."""
    last: Fields | None = None
    for line in lines:
        try:
            message = json.loads(line)
        except ValueError:
            continue  # a line cut off by the collector's death; the exit code tells
        last = Fields(message if isinstance(message, dict) else {}, "stallscope-collect")
        kind = last.text("event", "")
        if kind == "hello":
            _check_hello(last)
        elif kind in ("started", "progress", "finished"):
            on_progress(_progress(kind, last))
    return last


def _check_hello(hello: Fields) -> None:
    version, protocol = hello.text("version", "?"), hello.integer("protocol", 0)
    if version != __version__ or protocol != PROTOCOL:
        raise UnableError(
            f"stallscope-collect is version {version}, protocol {protocol}; "
            f"expected {__version__}, protocol {PROTOCOL}",
            "install stallscope again, or in a checkout run ./dev build",
        )


def _progress(kind: str, line: Fields) -> Progress:
    seconds = line.values.get("seconds", 0)
    return Progress(
        kind=kind,
        seconds=float(seconds) if isinstance(seconds, int | float) else 0.0,
        samples=line.integer("samples", 0),
        lost=line.integer("lost", 0),
        size_bytes=line.integer("bytes", 0),
        warnings=tuple(warning.text("message", "") for warning in line.objects("warnings")),
        pids=line.integers("pids"),
        stacks=line.fields("stacks").text("text", ""),
        windows=line.integer("windows", 0),
    )


def _outcome(last: Fields | None, exit_code: int, interrupted: bool) -> Outcome:
    if last is not None and last.text("event", "") == "error":
        error = StallscopeError(last.text("message", "?"), last.text("remedy", ""))
        error.exit_code = _known(last.integer("exit_code", exit_code))
        raise error
    if exit_code < 0:
        raise UnableError(
            f"stallscope-collect was ended by {signal.Signals(-exit_code).name}",
            "what it had written is kept: see it with stallscope report",
        )
    reason = last.text("reason", "") if last is not None else ""
    if exit_code != 0 and not reason:
        raise UnableError(
            f"stallscope-collect ended with status {exit_code}", "run stallscope doctor"
        )
    return Outcome(exit_code, reason, interrupted)


def _known(code: int) -> ExitCode:
    try:
        return ExitCode(code)
    except ValueError:
        return ExitCode.UNABLE
