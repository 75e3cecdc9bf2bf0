"""Counter sources that are made up: totals spread over windows, and phases counted by turns."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from topdown.slots.counting.counting_mode import METRICS, CountingMode
from topdown.slots.counting.plan import CountingPlan
from topdown.slots.counting.windows import SCHEMA, GroupWindows
from topdown.slots.counts import Counts

START_NS = 1_000_000_000


def way_of_counts(counts: Counts) -> CountingMode:
    """The mode of counting that a reading was taken in."""
    metrics = frozenset(METRICS.values()) if counts.perf_metrics else frozenset()
    return CountingMode(counts.smt, counts.ebs_mode, metrics, msr_type=10)


def groups_of_sets(plan: CountingPlan) -> list[tuple[str, ...]]:
    """One group per set."""
    return [event_set.events for event_set in plan.sets]


def steady(
    groups: Sequence[Sequence[str]],
    totals: Mapping[str, float],
    *,
    seconds: float = 1.0,
    windows: int = 8,
    share: float = 1.0,
) -> tuple[GroupWindows, ...]:
    """Groups that counted a steady program for a share of the time."""
    edges = np.linspace(0, seconds, windows + 1)
    enabled = np.full(windows, seconds / windows * 1e9)
    return tuple(
        GroupWindows(
            tuple(events),
            edges[:-1],
            edges[1:],
            enabled,
            enabled * share,
            np.array([[totals[event] * share / windows for event in events]] * windows),
        )
        for events in ([event for event in group if event in totals] for group in groups)
        if events
    )


def write_counters(
    folder: Path,
    groups: Sequence[Sequence[str]],
    totals: Mapping[str, float],
    **options: Any,
) -> Path:
    """A counters.jsonl of a program that was counted steadily, its counts cumulative."""
    windows, share = options.get("windows", 8), options.get("share", 1.0)
    length_ns = int(options.get("seconds", 1.0) * 1e9 / windows)
    scope = options.get("scope", {"pid": 42})
    lines: list[dict[str, Any]] = [
        {
            "schema": SCHEMA,
            "groups": [{"events": list(group), "scope": "pid"} for group in groups],
            "start_ns": START_NS,
        }
    ]
    for window in range(windows):
        for place, group in enumerate(groups):
            spent = (window + 1) * length_ns
            values = [round(totals[event] * share * (window + 1) / windows) for event in group]
            lines.append(
                {
                    "t": START_NS + spent,
                    "g": place,
                    "w": window,
                    "scope": scope,
                    "enabled": spent,
                    "running": int(spent * share),
                    "v": values,
                }
            )
    path = folder / "counters.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def by_turns(
    groups: Sequence[Sequence[str]],
    rates: Mapping[str, np.ndarray],
    *,
    turn_ms: int = 4,
    window_ms: int = 100,
    first: int = 0,
) -> tuple[GroupWindows, ...]:
    """Groups that take turns over a program given as counts in each millisecond."""
    length = len(next(iter(rates.values())))
    turns = ((np.arange(length) // turn_ms) + first) % len(groups)
    windows = length // window_ms
    edges = np.arange(windows + 1) * window_ms / 1000
    result = []
    for place, group in enumerate(groups):
        on = turns == place
        shaped = (slice(0, windows * window_ms),)
        running = on[shaped].reshape(windows, window_ms).sum(axis=1) * 1e6
        counts = [
            (rates[event] * on)[shaped].reshape(windows, window_ms).sum(axis=1) for event in group
        ]
        result.append(
            GroupWindows(
                tuple(group),
                edges[:-1],
                edges[1:],
                np.full(windows, window_ms * 1e6),
                running.astype(float),
                np.array(counts, dtype=float).T,
            )
        )
    return tuple(result)
