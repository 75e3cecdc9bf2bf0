"""Triggers: conditions that are checked while the last seconds are kept."""

import os
import select
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from harness.flight.conditions import (
    CommandCondition,
    Condition,
    EndCondition,
    LatencyCondition,
    PressureCondition,
    RequestCondition,
    SignalCondition,
)
from harness.flight.event_trigger import EventTrigger
from harness.flight.request_trigger import RequestTrigger
from stallscope.errors import UsageError
from stallscope.histograms import interval_of_line
from stallscope.pressure import PressureMonitor, read_pressure
from stallscope.system_files import Roots
from stallscope.trusted_program import trusted_program

COMMAND_INTERVAL_S = 5.0
COMMAND_LIMIT_S = 2.0  # a command that runs longer is ended; its condition is not met
_LATENCY_INTERVAL_S = 0.5
_MAX_OUTPUT_BYTES = 1 << 16
_MAX_LOG_BYTES = 1 << 20  # read per check


class Trigger(Protocol):
    """A condition that is checked when its descriptor is ready, or at intervals."""

    @property
    def text(self) -> str:
        """Return the condition as the user wrote it."""

    def open(self) -> None:
        """Prepare the checks. Raises StallscopeError if they cannot work here."""

    @property
    def descriptor(self) -> int | None:
        """Return the descriptor to wait for; None without one."""

    @property
    def ready_event(self) -> int:
        """Return the poll event of the descriptor after which to check."""

    @property
    def interval_s(self) -> float | None:
        """Return the time between checks; None if the descriptor decides."""

    def check(self) -> str | None:
        """Return in words what has happened; None if nothing has."""

    def state(self) -> str:
        """Return the value now in words; "" if it is not known."""

    def close(self) -> None:
        """Release the descriptor."""


@dataclass(slots=True)
class SignalTrigger(EventTrigger):
    """SIGUSR1; the signal handler calls ``fire``."""

    text: str = "signal"

    def check(self) -> str | None:
        """Return that the signal arrived."""
        return "signal SIGUSR1" if self.has_fired() else None

    def state(self) -> str:
        """Return the command that sends the signal."""
        return f"kill -USR1 {os.getpid()}"


@dataclass(slots=True)
class PressureTrigger:
    """Pressure above a threshold."""

    condition: PressureCondition
    roots: Roots = field(default_factory=Roots)
    ready_event: int = select.POLLPRI  # the file is always ready to be read
    monitor: PressureMonitor = field(init=False)

    def __post_init__(self) -> None:
        """Create the monitor; it opens nothing."""
        self.monitor = PressureMonitor(self.condition.threshold, self.roots)

    @property
    def text(self) -> str:
        """Return the condition as the user wrote it."""
        return self.condition.text

    def open(self) -> None:
        """Request the kernel's events."""
        self.monitor.open()

    @property
    def descriptor(self) -> int | None:
        """Return the descriptor with the kernel's events."""
        return self.monitor.descriptor

    @property
    def interval_s(self) -> float | None:
        """Return an interval if the kernel sends no events to this user."""
        if self.monitor.descriptor is not None:
            return None
        return min(1.0, self.condition.threshold.window_s / 2)

    def check(self) -> str | None:
        """Return the threshold that was exceeded."""
        if self.monitor.descriptor is None and not self.monitor.exceeded():
            return None
        return f"{self.condition.threshold.describe()} ({self.state()})"

    def state(self) -> str:
        """Return the pressure of the last 10 s."""
        threshold = self.condition.threshold
        pressure = read_pressure(threshold.resource, threshold.scope, self.roots)
        return "" if pressure is None else f"now {pressure.recent_share * 100:.0f} %"

    def close(self) -> None:
        """End the kernel's events."""
        self.monitor.close()


@dataclass(slots=True)
class LatencyTrigger:
    """A percentile above a limit, in an interval that is appended to an HdrHistogram log."""

    condition: LatencyCondition
    descriptor: int | None = None
    ready_event: int = select.POLLIN
    interval_s: float | None = _LATENCY_INTERVAL_S
    _position: int = 0
    _rest: bytes = b""
    _last_ns: float | None = None
    _path: Path = field(init=False)

    def __post_init__(self) -> None:
        """Take the intended log of a load's directory, or the file itself."""
        log = self.condition.log
        self._path = log / "intended.hlog" if log.is_dir() else log

    @property
    def text(self) -> str:
        """Return the condition as the user wrote it."""
        return self.condition.text

    def open(self) -> None:
        """Skip the intervals that are in the log now."""
        try:
            self._position = self._path.stat().st_size
        except FileNotFoundError:
            self._position = 0  # the load creates the log when it starts
        except OSError as error:
            raise UsageError(
                f"{self._path} cannot be read: {error.strerror}",
                "name an HdrHistogram log, such as the intended.hlog of stallscope load",
            ) from error

    def check(self) -> str | None:
        """Return the percentile of the first interval above the limit."""
        for line in self._new_lines():
            interval = interval_of_line(line)
            if interval is None:
                continue
            value = interval.histogram.percentile(self.condition.percentile)
            self._last_ns = value
            if value is not None and value > self.condition.limit_ns:
                return f"p{self.condition.percentile:g} {_ms(value)}"
        return None

    def _new_lines(self) -> list[str]:
        try:
            with open(os.open(self._path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
                if os.fstat(file.fileno()).st_size < self._position:
                    self._position, self._rest = 0, b""  # another run began the log again
                file.seek(self._position)
                data = file.read(_MAX_LOG_BYTES) or b""
        except OSError:
            return []
        self._position += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [line.decode("utf-8", "replace") for line in lines]

    def state(self) -> str:
        """Return the percentile of the last interval."""
        if self._last_ns is not None:
            return f"now {_ms(self._last_ns)}"
        return "no interval yet" if self._path.exists() else f"no file {self._path} yet"

    def close(self) -> None:
        """Nothing is open between checks."""


@dataclass(slots=True)
class CommandTrigger:
    """A command that succeeds, or prints a number above a limit."""

    condition: CommandCondition
    descriptor: int | None = None
    ready_event: int = select.POLLIN
    interval_s: float | None = COMMAND_INTERVAL_S
    _words: tuple[str, ...] = ()
    _last: str = ""

    @property
    def text(self) -> str:
        """Return the condition as the user wrote it."""
        return self.condition.text

    def open(self) -> None:
        """Find the program. Raises UsageError, for root also if another user could change it."""
        program, *arguments = self.condition.words
        self._words = (str(trusted_program(program)), *arguments)

    def check(self) -> str | None:
        """Return what the command printed, if its condition is met."""
        status, output = _run(self._words)
        line = (output.strip().splitlines() or [""])[-1][:80]
        self._last = line
        if status != 0:
            return None
        if self.condition.limit is None:
            return f"command {self.condition.words[0]}: {line}" if line else self.text
        try:
            value = float(line.split()[0])
        except (ValueError, IndexError):
            return None
        return (
            f"command {self.condition.words[0]}: {line}" if value > self.condition.limit else None
        )

    def state(self) -> str:
        """Return the last line that the command printed."""
        return f"now {self._last}" if self._last else ""

    def close(self) -> None:
        """No command runs between checks."""


def _run(words: tuple[str, ...]) -> tuple[int | None, str]:
    """Return the exit status (None: too slow, or not started) and the begin of the output."""
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.DEVNULL,
                process_group=0,
            )
        except OSError:
            return None, ""
        try:
            status: int | None = process.wait(COMMAND_LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the leader is not reaped: it is this group
            process.wait()
            status = None
        output.seek(0)
        return status, output.read(_MAX_OUTPUT_BYTES).decode("utf-8", "replace")


def _ms(value_ns: float) -> str:
    return f"{value_ns / 1e6:.3g} ms"


def triggers_of(conditions: tuple[Condition, ...]) -> list[Trigger]:
    """Return the triggers of the conditions that are checked during the recording."""
    triggers: list[Trigger] = []
    for condition in conditions:
        match condition:
            case SignalCondition():
                triggers.append(SignalTrigger())
            case PressureCondition():
                triggers.append(PressureTrigger(condition))
            case LatencyCondition():
                triggers.append(LatencyTrigger(condition))
            case RequestCondition():
                triggers.append(RequestTrigger(condition))
            case CommandCondition():
                triggers.append(CommandTrigger(condition))
            case EndCondition():
                pass  # the collector knows these ends
    return triggers
