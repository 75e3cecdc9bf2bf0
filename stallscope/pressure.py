"""Pressure stall information (PSI): shares of time in which tasks wait for CPU, I/O or memory.

The kernel reports a pressure above a threshold as a poll event on /proc/pressure/NAME (kernel
documentation, accounting/psi.rst). Ordinary users may request windows that are multiples of 2 s
(Linux 6.4); without that right, the growth of the totals is compared instead.
"""

import os
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from stallscope.errors import UnableError
from stallscope.system_files import Roots, read_text

RESOURCES = ("cpu", "io", "memory")
# The windows that the kernel accepts, in seconds.
_KERNEL_WINDOW_S = (0.5, 10.0)


@dataclass(frozen=True, slots=True)
class Pressure:
    """A line of /proc/pressure/NAME."""

    recent_share: float  # of the last 10 s, 0..1
    total_us: int  # stalled time since boot


def read_pressure(resource: str, scope: str, roots: Roots) -> Pressure | None:
    """Return a pressure; None if the kernel does not report it."""
    for line in (read_text(roots.proc / "pressure" / resource) or "").splitlines():
        name, *fields = line.split()
        if name == scope:
            values = dict(word.partition("=")[::2] for word in fields)
            with suppress(KeyError, ValueError):
                return Pressure(float(values["avg10"]) / 100, int(values["total"]))
    return None


@dataclass(frozen=True, slots=True)
class PressureThreshold:
    """A share of a window in which tasks wait for a resource."""

    resource: str
    scope: str  # some: at least one task waits; full: all tasks that are not idle wait
    share: float  # 0..1
    window_s: float

    def describe(self) -> str:
        """Return the threshold as the command line spells it."""
        scope = "" if self.scope == "some" else f".{self.scope}"
        return f"psi.{self.resource}{scope}>{self.share * 100:g}%/{self.window_s:g}s"


@dataclass(slots=True)
class PressureMonitor:
    """Compares a pressure with a threshold: by the kernel's poll events, or by the totals."""

    threshold: PressureThreshold
    roots: Roots
    descriptor: int | None = None  # readable (POLLPRI) when the kernel reports the threshold
    _totals: deque[tuple[float, int]] = field(default_factory=deque)  # seconds, microseconds

    def open(self) -> None:
        """Request poll events; without the right to, ``exceeded`` compares totals.

        Raises UnableError if the kernel does not report this pressure.
        """
        threshold = self.threshold
        if read_pressure(threshold.resource, threshold.scope, self.roots) is None:
            raise UnableError(
                f"the kernel reports no pressure of {threshold.resource} "
                f"({self.roots.proc}/pressure/{threshold.resource})",
                "boot with psi=1, or use another trigger, such as --on signal",
            )
        low_s, high_s = _KERNEL_WINDOW_S
        if low_s <= threshold.window_s <= high_s:
            with suppress(OSError):
                self.descriptor = _request(self._path, threshold)

    @property
    def _path(self) -> Path:
        return self.roots.proc / "pressure" / self.threshold.resource

    def exceeded(self, now_s: float | None = None) -> bool:
        """Return whether the totals grew by more than the threshold within the last window.

        Call at least twice per window.
        """
        now_s = time.monotonic() if now_s is None else now_s
        pressure = read_pressure(self.threshold.resource, self.threshold.scope, self.roots)
        if pressure is None:
            return False
        begin_s = now_s - self.threshold.window_s
        while len(self._totals) > 1 and self._totals[1][0] <= begin_s:
            self._totals.popleft()
        limit_us = self.threshold.share * self.threshold.window_s * 1e6
        self._totals.append((now_s, pressure.total_us))
        return pressure.total_us - self._totals[0][1] > limit_us

    def close(self) -> None:
        """End the poll events."""
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


def _request(path: Path, threshold: PressureThreshold) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    window_us = round(threshold.window_s * 1e6)
    stall_us = max(1, round(threshold.share * window_us))
    try:
        os.write(descriptor, f"{threshold.scope} {stall_us} {window_us}\0".encode())
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
