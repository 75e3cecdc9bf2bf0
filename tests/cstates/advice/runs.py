"""Recordings of idle intervals with known costs."""

from cstates.advice.evidence import WakeEvidence
from cstates.idle.length_counts import LengthCounts
from cstates.idle.run import IdleRun, RecordedState, WakeRow
from cstates.wake_latency import WakeFinding


def state(index: int, name: str, exit_us: int, entries: int) -> RecordedState:
    return RecordedState(index, name, exit_us, 2 * exit_us, None, entries, 0.0, 0.0)


def row(index: int, wake: str, wakes: int, exit_us: float, pid: int | None = None) -> WakeRow:
    """Return wake-ups with a standard deviation of 1 us."""
    squares = wakes / 2 * ((exit_us - 1) ** 2 + (exit_us + 1) ** 2)
    timed = wakes if exit_us else 0
    total = int(exit_us * wakes * 1000)
    return WakeRow(index, wake, wakes, 0, timed, total, squares, None, None, pid, "redis")


def run(*wakes: WakeRow, governor: str = "menu") -> IdleRun:
    lengths = LengthCounts()
    for _ in range(1000):
        lengths.record(500_000)
    entries = sum(item.wakes for item in wakes)
    return IdleRun(
        command=(),
        seconds=10.0,
        driver="intel_idle",
        governor=governor,
        why_counters_only=None,
        cpus=(0, 1, 2, 3),
        states=(state(0, "POLL", 0, 0), state(1, "C1", 3, 100), state(2, "C6", 200, entries)),
        intervals=entries,
        intervals_kept=entries,
        intervals_discarded=0,
        lost_events=0,
        events=0,
        reader_cpu_s=0.0,
        warnings=(),
        command_cpus=(),
        siblings={cpu: (cpu % 2, cpu % 2 + 2) for cpu in range(4)},
        lengths={(1, 2): lengths.histogram()},
        wakes=wakes,
        processes=(row(2, "ipi", 60, 210.0, pid=4),),
    )


def measured(finding: WakeFinding, *closed: str) -> WakeEvidence:
    return WakeEvidence("futex, 1000 us", closed, finding, f"the text of {finding}")
