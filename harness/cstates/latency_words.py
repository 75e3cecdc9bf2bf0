"""The tests that words of a command line ask for."""

from cstates.wake_latency import KINDS, WakeTest
from stallscope.errors import UsageError

LONGEST_THINK_US = 10_000.0


def wake_tests(kinds: str, think_us: str, *, processes: int) -> tuple[WakeTest, ...]:
    """Return every kind with every think time; UsageError for what is neither."""
    thinks = [_think(word) for word in think_us.split(",")]
    names = list(dict.fromkeys(kinds.split(",")))
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        raise UsageError(f"--kind {unknown[0]!r} is not known", f"known are {', '.join(KINDS)}")
    return tuple(
        WakeTest(name, think, 1 if name == "timer" else processes)
        for name in names
        for think in dict.fromkeys(thinks)
    )


def _think(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0 <= value <= LONGEST_THINK_US:
        raise UsageError(
            f"--think-us {word!r} is no time", f"name microseconds from 0 to {LONGEST_THINK_US:g}"
        )
    return value
