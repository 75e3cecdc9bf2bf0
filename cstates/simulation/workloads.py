"""Idle intervals made up, for governors to be compared where none were recorded.

Three kinds, each of one CPU: ``poisson`` (exponential lengths, as of many independent events),
``periodic`` (a fixed length, give or take a hundredth) and ``request-reply`` (log-normal lengths
around that of a request, 25 % spread). A timer falls due every 25 ms, as of housekeeping, and wakes
the CPU if nothing else did; between intervals the CPU is busy for an eighth of the length.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cstates.simulation.trace import LONGEST_NS, Trace
from stallscope.errors import UsageError

TIMER_NS = 25_000_000
SPREAD = 0.25
KINDS = ("poisson", "periodic", "request-reply")
MOST_INTERVALS = 50_000_000
_UNITS_NS = {"us": 1e3, "ms": 1e6, "s": 1e9}


@dataclass(frozen=True, slots=True)
class Workload:
    """A kind of idle intervals and their mean length."""

    kind: str
    length_ns: int
    intervals: int = 100_000
    seed: int = 0

    @property
    def name(self) -> str:
        """Return the workload as a person names it."""
        return f"{self.kind}:{self.length_ns / 1000:g}us"


def parse_workload(text: str, *, intervals: int = 100_000, seed: int = 0) -> Workload:
    """Return the workload of "poisson:250us"; UsageError where it is none."""
    kind, colon, length = text.partition(":")
    if kind not in KINDS or not colon:
        raise UsageError(
            f"there is no workload {text!r}",
            f"known are {', '.join(KINDS)}: as request-reply:250us",
        )
    if not 1 <= intervals <= MOST_INTERVALS:
        raise UsageError(
            f"{intervals} intervals cannot be made", f"name a number from 1 to {MOST_INTERVALS}"
        )
    return Workload(kind, _length_ns(length, text), intervals, seed)


def _length_ns(text: str, whole: str) -> int:
    for unit in ("us", "ms", "s"):
        if text.endswith(unit):
            try:
                length_ns = float(text.removesuffix(unit)) * _UNITS_NS[unit]
            except ValueError:
                break
            if 1 <= length_ns <= LONGEST_NS / 1000:
                return round(length_ns)
            break
    raise UsageError(
        f"{whole!r} has no mean length of its idle intervals",
        "as request-reply:250us or poisson:1ms",
    )


def make_trace(workload: Workload) -> Trace:
    """Return the workload's intervals; the same for the same seed."""
    made_ns = _lengths_ns(workload)
    busy_ns = max(workload.length_ns // 8, 1)
    entry_ns = np.cumsum(made_ns + busy_ns) - made_ns
    timer_ns = TIMER_NS - entry_ns % TIMER_NS
    return Trace(
        name=workload.name,
        cpu=np.zeros(made_ns.size, np.int64),
        t_entry_ns=entry_ns,
        idle_ns=np.minimum(made_ns, timer_ns),
        next_timer_ns=timer_ns,
        next_event_ns=None,
        wake=None,
        entered=None,
    )


def _lengths_ns(workload: Workload) -> npt.NDArray[np.int64]:
    random = np.random.default_rng(workload.seed)
    size, mean = workload.intervals, float(workload.length_ns)
    if workload.kind == "poisson":
        lengths = random.exponential(mean, size)
    elif workload.kind == "periodic":
        lengths = random.normal(mean, mean / 100, size)
    else:
        lengths = random.lognormal(np.log(mean) - SPREAD**2 / 2, SPREAD, size)
    return lengths.clip(1, LONGEST_NS).astype(np.int64)
