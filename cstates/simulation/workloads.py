"""Generated idle intervals, to compare governors without a recording.

There are three kinds, all for one CPU: ``poisson`` (exponential lengths, as from many independent
events), ``periodic`` (a fixed length with a deviation of 1 %) and ``request-reply`` (log-normal
lengths with a deviation of 25 %). A housekeeping timer expires every 25 ms and ends an interval
that still lasts. Between intervals the CPU is busy for an eighth of the mean length.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cstates.simulation.trace import LONGEST_NS, IdleTrace
from stallscope.errors import UsageError

TIMER_NS = 25_000_000
SPREAD = 0.25
KINDS = ("poisson", "periodic", "request-reply")
MAX_INTERVALS = 50_000_000
_UNITS_NS = {"us": 1e3, "ms": 1e6, "s": 1e9}


@dataclass(frozen=True, slots=True)
class IdleWorkload:
    """A kind of idle intervals and their mean length."""

    kind: str
    length_ns: int
    intervals: int = 100_000
    seed: int = 0

    @property
    def name(self) -> str:
        """Return the workload as the command line names it."""
        return f"{self.kind}:{self.length_ns / 1000:g}us"


def parse_workload(text: str, *, intervals: int = 100_000, seed: int = 0) -> IdleWorkload:
    """Return the workload that a text such as "poisson:250us" names; UsageError if invalid."""
    kind, colon, length = text.partition(":")
    if kind not in KINDS or not colon:
        raise UsageError(
            f"unknown workload {text!r}",
            f"known kinds are {', '.join(KINDS)}, for example request-reply:250us",
        )
    if not 1 <= intervals <= MAX_INTERVALS:
        raise UsageError(
            f"cannot generate {intervals} intervals", f"name a number from 1 to {MAX_INTERVALS}"
        )
    return IdleWorkload(kind, _length_ns(length, text), intervals, seed)


def _length_ns(text: str, workload: str) -> int:
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
        f"workload {workload!r} needs a mean length of its idle intervals",
        "for example request-reply:250us or poisson:1ms",
    )


def generate_trace(workload: IdleWorkload) -> IdleTrace:
    """Return the workload's intervals; equal seeds give equal intervals."""
    lengths_ns = _lengths_ns(workload)
    busy_ns = max(workload.length_ns // 8, 1)
    entry_ns = np.cumsum(lengths_ns + busy_ns) - lengths_ns
    timer_ns = TIMER_NS - entry_ns % TIMER_NS
    return IdleTrace(
        name=workload.name,
        cpu=np.zeros(lengths_ns.size, np.int64),
        t_entry_ns=entry_ns,
        idle_ns=np.minimum(lengths_ns, timer_ns),
        next_timer_ns=timer_ns,
        next_event_ns=None,
        wake=None,
        entered=None,
    )


def _lengths_ns(workload: IdleWorkload) -> npt.NDArray[np.int64]:
    random = np.random.default_rng(workload.seed)
    size, mean = workload.intervals, float(workload.length_ns)
    if workload.kind == "poisson":
        lengths = random.exponential(mean, size)
    elif workload.kind == "periodic":
        lengths = random.normal(mean, mean / 100, size)
    else:
        lengths = random.lognormal(np.log(mean) - SPREAD**2 / 2, SPREAD, size)
    return lengths.clip(1, LONGEST_NS).astype(np.int64)
