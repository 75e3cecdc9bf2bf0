"""The panel "Wall time by state" of a page: bars by group, states over time, threads, sources."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from harness.cli.terminal import percent
from harness.page.document import fragment
from harness.page.panels import TABLE_STYLE, Panel, StyleSheets
from harness.waits.result import WaitsResult
from harness.waits.text import (
    group_label,
    queue_user_text,
    share_text,
    shown_states,
    source_texts,
    state_title,
    unattributed_text,
)
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


@dataclass(frozen=True, slots=True)
class _Row:
    label: str
    threads: str
    wall: str
    parts: tuple[_Part, ...]
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Strip:
    name: str
    runs: tuple[_Part, ...]


def waits_panel(result: WaitsResult) -> Panel:
    """Return the panel; its size is bounded."""
    states = shown_states(result)
    several = len({group.process for group in result.groups}) > 1
    groups = result.groups[:MAX_GROUPS]
    timeline = result.timeline
    queue_ns = sum(user.time_ns for user in result.run_queue) or 1
    markup = fragment(
        "harness.waits/panel.html",
        facts=[
            ("recorded", value_text(result.wall_ns, "ns")),
            ("unattributed", unattributed_text(result)),
        ],
        legend=[(state, state_title(state)) for state in states],
        heads=[state_title(state) for state in states],
        rows=[
            _Row(
                label=group_label(group, several=several),
                threads=f"{group.threads:,}",
                wall=value_text(group.wall_ns, "ns"),
                parts=tuple(_parts(group.states_ns, group.wall_ns)),
                cells=tuple(share_text(group.states_ns[key], group.wall_ns) for key in states),
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
        threads=[
            [
                thread.name,
                str(thread.tid),
                value_text(thread.wall_ns, "ns"),
                *(share_text(thread.states_ns[key], thread.wall_ns) for key in states),
            ]
            for thread in result.threads[:MAX_THREADS]
        ],
        queue=[
            (percent(user.time_ns / queue_ns), queue_user_text(user))
            for user in result.run_queue[:MAX_QUEUE_USERS]
        ],
        sources=[*source_texts(result), *_missing(result)],
        warnings=result.warnings,
    )
    return Panel(markup, (TABLE_STYLE, STYLE))


def _parts(states_ns: Mapping[str, int], wall_ns: int) -> Iterator[_Part]:
    start = 0.0
    for state, amount in states_ns.items():
        width = 100 * amount / wall_ns if wall_ns else 0.0
        if width > 0:
            yield _Part(state, start, width)
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
