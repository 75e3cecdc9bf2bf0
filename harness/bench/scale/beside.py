"""Recordings at some counts: thread states and counters beside throughput."""

from collections.abc import Sequence
from pathlib import Path

from harness.bench.scale.result import Beside, BesideValue
from harness.recordings.kinds import COUNTERS, REQUESTS, WAITS, kind_of
from stallscope.errors import UsageError
from stallscope.recordings import Recording, open_recording

Row = tuple[str, str]  # name and unit


def read_beside(recordings: Sequence[tuple[int, Path]]) -> Beside | None:
    """Return states and counters of the recordings by count; None without recordings.

    A count may have a recording of waits and one of counters. Raises UsageError for other kinds.
    """
    if not recordings:
        return None
    counts = sorted({count for count, _ in recordings})
    states: dict[Row, dict[int, float]] = {}
    counters: dict[Row, dict[int, float]] = {}
    for count, path in recordings:
        recording = open_recording(path)
        kind = kind_of(recording)
        if kind in (WAITS, REQUESTS):
            rows, values = states, state_shares(recording)
        elif kind == COUNTERS:
            rows, values = counters, counter_values(recording)
        else:
            raise UsageError(
                f"--recording {count}={path}: a recording of kind {kind!r}",
                "record with stallscope waits, or with stallscope topdown",
            )
        for row, value in values.items():
            rows.setdefault(row, {})[count] = value
    return Beside(
        counts=tuple(counts),
        recordings=tuple(str(path) for _, path in recordings),
        states=_rows(states, counts),
        counters=_rows(counters, counts),
    )


def state_shares(recording: Recording) -> dict[Row, float]:
    """Return the share of all threads' wall time by state."""
    from harness.waits.analysis import analyze_waits  # noqa: PLC0415 - of one kind only
    from harness.waits.build import waits_result  # noqa: PLC0415

    result = waits_result(analyze_waits(recording), recording=recording.path, report=None)
    totals: dict[str, int] = {}
    for group in result.groups:
        for state, time_ns in group.states_ns.items():
            totals[state] = totals.get(state, 0) + time_ns
    whole = sum(totals.values()) or 1
    return {(state, "share"): time_ns / whole for state, time_ns in totals.items() if time_ns}


def counter_values(recording: Recording) -> dict[Row, float]:
    """Return IPC and the first level of slots, or the counters without slots."""
    from harness.topdown.report import recorded_measurement  # noqa: PLC0415 - of one kind only
    from harness.topdown.result import topdown_result  # noqa: PLC0415

    result = topdown_result(recorded_measurement(recording.path))
    values: dict[Row, float] = {}
    if result.ipc is not None:
        values["IPC", ""] = result.ipc.value
    for name, node in result.nodes.items():
        if node.value is not None and node.level in (None, 1):
            values[name, node.unit] = node.value
    return values


def _rows(values: dict[Row, dict[int, float]], counts: Sequence[int]) -> tuple[BesideValue, ...]:
    return tuple(
        BesideValue(name=name, unit=unit, values=tuple(by_count.get(count) for count in counts))
        for (name, unit), by_count in values.items()
    )
