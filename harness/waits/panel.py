"""The panel "Wall time by state" of a page: bars by group, states over time, threads, sources."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from harness.cli.terminal import percent
from harness.page.document import fragment
from harness.page.panels import TABLE_STYLE, Panel, StyleSheets
from harness.waits.binned import BinnedValues, Key
from harness.waits.cells import Cells, NumberCell
from harness.waits.result import GroupWaits, QueueUser, ThreadWaits, WaitsResult
from harness.waits.text import (
    group_label,
    queue_user_text,
    shown_states,
    source_texts,
    state_title,
    unattributed_text,
)
from harness.waits.verdict import is_idle, verdict, working_groups
from stallscope.quantities import value_text

STYLE: StyleSheets = ("harness.waits", ("waits.css",))
MAX_GROUPS = 100
MAX_THREADS = 500
MAX_QUEUE_USERS = 10


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a bar; ``start`` and ``width`` are in percent, or in steps of a strip."""

    state: str
    start: float
    width: float
    series: int = -1


@dataclass(frozen=True, slots=True)
class _Row:
    label: str
    threads: str
    wall: NumberCell
    parts: tuple[_Part, ...]
    cells: tuple[NumberCell, ...]


@dataclass(frozen=True, slots=True)
class _Strip:
    name: str
    runs: tuple[_Part, ...]


def waits_panel(
    result: WaitsResult, binned: BinnedValues | None = None, *, controls: bool = True
) -> Panel:
    """Return the panel; its size is bounded. ``binned``: values by time, to select a period.

    ``controls``: with fields for the period, which other pages have elsewhere.
    """
    states = shown_states(result)
    cells = Cells(binned)
    several = len({group.process for group in result.groups}) > 1
    working = working_groups(result)
    idle = [group for group in result.groups if is_idle(result, group)]
    groups = [*working, *idle][:MAX_GROUPS]
    timeline = result.timeline
    queue_ns = sum(user.time_ns for user in result.run_queue) or 1
    markup = fragment(
        "harness.waits/panel.html",
        verdict=verdict(result),
        period_controls=controls and binned is not None and timeline is not None,
        period_hint=_period_hint(result) if binned is None else "",
        facts=[
            _recorded(result),
            ("unattributed", unattributed_text(result)),
        ],
        legend=[(state, state_title(state)) for state in _drawn_states(result, states)],
        heads=[state_title(state) for state in states],
        rows=[
            _Row(
                label=("idle: " if group in idle else "") + group_label(group, several=several),
                threads=f"{group.threads:,}",
                wall=cells.time(group.wall_ns, group_key(group)),
                parts=tuple(_parts(group, cells)),
                cells=tuple(
                    cells.share(
                        group.states_ns[key],
                        group.wall_ns,
                        (*group_key(group), key),
                        group_key(group),
                    )
                    for key in states
                ),
            )
            for group in groups
        ],
        group_hints=[
            f"and {len(result.groups) - MAX_GROUPS:,} more groups"
            if len(result.groups) > MAX_GROUPS
            else ""
        ],
        steps=timeline.steps if timeline is not None else 0,
        strips=list(_strips(result)),
        strip_hint=_strip_hint(result),
        thread_heads=["Thread", "TID", "Wall", *map(state_title, states)],
        threads=[_thread_row(thread, states, cells) for thread in result.threads[:MAX_THREADS]],
        queue=[
            (
                replace(
                    cells.share(user.time_ns, queue_ns, queue_key(user), ("queue",)),
                    text=percent(user.time_ns / queue_ns),
                ),
                queue_user_text(user),
            )
            for user in result.run_queue[:MAX_QUEUE_USERS]
        ],
        sources=[*source_texts(result), *_missing(result)],
        warnings=result.warnings,
    )
    return Panel(markup, (TABLE_STYLE, STYLE))


def group_key(group: GroupWaits) -> Key:
    """Return the key of a group's values by time."""
    return ("group", group.process, group.name)


def queue_key(user: QueueUser) -> Key:
    """Return the key of the values by time of what ran while threads could run."""
    return ("queue", user.kind, user.name, user.pid)


def _drawn_states(result: WaitsResult, states: Sequence[str]) -> list[str]:
    """Return the states of the table, and those that only the timeline has.

    Between random windows the timeline is unknown, while the table is weighed.
    """
    threads = result.timeline.threads if result.timeline is not None else ()
    in_timeline = {state for thread in threads for state, _ in thread.runs if state}
    return [*states, *sorted(in_timeline - set(states))]


def _period_hint(result: WaitsResult) -> str:
    """Return how a period is shown if the page has no values by time."""
    if any("random windows" in warning for warning in result.warnings):
        return "A recording in random windows has no values by time: no period can be shown."
    return "To show a period in all tables: stallscope waits RUN --period FROM-TO"


def _recorded(result: WaitsResult) -> tuple[str, str]:
    length = value_text(result.wall_ns, "ns")
    if result.period is None:
        return "recorded", length
    begin_s, end_s = result.period.begin_s, result.period.end_s
    return "period", f"{begin_s:.3f} s to {end_s:.3f} s of the recording ({length})"


def _thread_row(thread: ThreadWaits, states: Sequence[str], cells: Cells) -> list[NumberCell]:
    key = ("thread", thread.pid, thread.tid)
    shares = (
        cells.share(thread.states_ns[state], thread.wall_ns, (*key, state), key) for state in states
    )
    wall = cells.time(thread.wall_ns, key)
    return [NumberCell(thread.name, series=wall.series), NumberCell(str(thread.tid)), wall, *shares]


def _parts(group: GroupWaits, cells: Cells) -> Iterator[_Part]:
    start = 0.0
    for state, amount in group.states_ns.items():
        width = 100 * amount / group.wall_ns if group.wall_ns else 0.0
        if width > 0:
            yield _Part(state, start, width, cells.series(*group_key(group), state))
        start += width


def _strips(result: WaitsResult) -> Iterator[_Strip]:
    for thread in result.timeline.threads if result.timeline is not None else ():
        start, parts = 0, []
        for state, steps in thread.runs:
            if state:
                parts.append(_Part(state, start, steps))
            start += steps
        yield _Strip(f"{thread.name} {thread.tid}", tuple(parts))


def _strip_hint(result: WaitsResult) -> str:
    if result.timeline is None:
        return ""
    step = value_text(round(result.timeline.step_ns), "ns")
    return (
        f"The threads with most CPU time. A step is {step} and shows the state with most time in "
        "it; user stands for both running states."
    )


def _missing(result: WaitsResult) -> Iterator[tuple[str, str]]:
    for source in result.missing:
        remedy = f"; {source.remedy}" if source.remedy else ""
        yield "missing", f"{source.name}: {source.reason}{remedy}"
