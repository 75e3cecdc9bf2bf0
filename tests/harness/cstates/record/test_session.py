"""Warnings about idle intervals that were not traced."""

from types import SimpleNamespace
from typing import Any

from cstates.idle.summary import IdleSummary
from harness.cstates.record.session import untraced_warnings
from tests.harness.cstates.record.decoded import interval


def warnings(*, counted: int | None, traced: int, lost: int | None = 0) -> list[str]:
    """Return the warnings for a CPU with the given numbers of intervals."""
    summary = IdleSummary((None, None))
    for _ in range(traced):
        summary.add(interval(100))
    tracing: Any = SimpleNamespace(summary=summary, lost_events=lost)
    activity = SimpleNamespace(entries=counted)
    cpu: Any = SimpleNamespace(idle=SimpleNamespace(cpu=0), over_interval=(activity,))
    return list(untraced_warnings(tracing, [cpu]))


def test_a_cpu_with_far_fewer_traced_intervals_than_entries_is_named() -> None:
    (text,) = warnings(counted=1000, traced=700)
    assert text.startswith("CPU 0: the kernel counted 1,000 entries and traced 700: ")
    assert "lost events" not in text


def test_few_missing_intervals_are_no_warning() -> None:
    assert warnings(counted=1000, traced=800) == []
    assert warnings(counted=5, traced=0) == []
    assert warnings(counted=None, traced=0) == []


def test_lost_events_explain_missing_intervals() -> None:
    assert warnings(counted=1000, traced=0, lost=9) == []
    (text,) = warnings(counted=1000, traced=0, lost=None)
    assert "or it lost events without reporting it" in text
