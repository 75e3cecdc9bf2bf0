"""The comparison of two recordings of waits for a terminal."""

from collections.abc import Iterator

from harness.cli.table import columns
from harness.cli.terminal import percent, wrapped
from harness.waits.compare.result import (
    MIN_GROWTH,
    ComparedRecording,
    StateChange,
    WaitsComparison,
)
from harness.waits.text import state_title
from stallscope.quantities import value_text

MAX_GROUPS = 10


def lines(comparison: WaitsComparison, width: int) -> Iterator[str]:
    """Yield the verdict, the states of all threads and those of the common groups."""
    before, after = comparison.before, comparison.after
    yield from wrapped(_verdict(comparison), width)
    yield ""
    yield from wrapped(f"before  {_recording_text(before)}", width, " " * 8)
    yield from wrapped(f"after   {_recording_text(after)}", width, " " * 8)
    yield ""
    yield from _table("All threads", comparison.states)
    for group in comparison.groups[:MAX_GROUPS] if len(comparison.groups) > 1 else ():
        yield ""
        threads = f"{group.threads_before:,} to {group.threads_after:,} threads"
        yield from _table(f"{group.name}, {threads}", group.states)
    yield ""
    yield from wrapped(
        "Shares of the threads' wall time, of one recording each; repeat both to see their spread.",
        width,
    )


def _recording_text(recording: ComparedRecording) -> str:
    plural = "" if recording.threads == 1 else "s"
    wall = value_text(recording.wall_ns, "ns")
    return f"{recording.recording}: {recording.threads:,} thread{plural}, {wall} of wall time"


def _verdict(comparison: WaitsComparison) -> str:
    if comparison.grew is None:
        return f"No state grew by {percent(MIN_GROWTH)} of the wall time."
    row = comparison.states[0]
    return (
        f"{state_title(row.state).capitalize()} grew most: from {percent(row.before)} to "
        f"{percent(row.after)} of the wall time."
    )


def _table(title: str, states: tuple[StateChange, ...]) -> Iterator[str]:
    rows = [(title, "Before", "After", "Change")]
    for row in states:
        change = f"{row.change * 100:+.1f} points"
        rows.append((state_title(row.state), percent(row.before), percent(row.after), change))
    yield from columns(rows)
