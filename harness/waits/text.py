"""Waits for a terminal: a table of states by thread group, sources and what is missing."""

from collections.abc import Iterator, Mapping, Sequence

from harness.cli.table import fitting_rows
from harness.cli.terminal import percent, shorten, wrapped
from harness.waits.result import GroupWaits, QueueUser, WaitsResult
from harness.waits.verdict import is_idle, verdict, working_groups
from stallscope.quantities import value_text
from topdown.waits.states import ThreadState

MAX_GROUPS = 20
MAX_QUEUE_USERS = 6
MAX_INTERVAL_GROUPS = 5
LEAST_BESIDE_IDLE = 0.1  # of the time in the run queue
MIN_SHARE = 0.0005  # a state below this share of all time has no column
_MAX_NAME = 32
_INDENT = " " * 12


def state_title(key: str) -> str:
    """Return a state's name for people: "run queue"."""
    return key.replace("_", " ")


def shown_states(result: WaitsResult) -> list[str]:
    """Return the states that have a column: those with time, in their fixed order."""
    wall = sum(group.wall_ns for group in result.groups) or 1
    return [
        state.key
        for state in ThreadState
        if any(group.states_ns[state.key] > MIN_SHARE * group.wall_ns for group in result.groups)
        or sum(group.states_ns[state.key] for group in result.groups) > MIN_SHARE * wall
    ]


def share_text(part_ns: int, whole_ns: int) -> str:
    """Return a share in percent; an empty cell for nothing."""
    return "" if not part_ns or not whole_ns else percent(part_ns / whole_ns)


def lines(result: WaitsResult, width: int) -> Iterator[str]:
    """Yield the table, and what ran while threads were runnable."""
    threads = sum(group.threads for group in result.groups)
    plural = "" if threads == 1 else "s"
    yield from wrapped(verdict(result), width)
    yield ""
    yield from wrapped(
        f"Waits of {result.title}: {value_text(result.wall_ns, 'ns')}, {threads:,} thread{plural}; "
        "shares of each group's wall time",
        width,
    )
    yield ""
    yield from table(result, width)
    if result.run_queue:
        yield ""
        yield from run_queue_lines(result, width)


def source_lines(result: WaitsResult, width: int) -> Iterator[str]:
    """Yield the unattributed share, the sources, what is missing, and warnings."""
    yield from _labelled("unattributed", unattributed_text(result), width)
    for label, text in source_texts(result):
        yield from _labelled(label, text, width)
    for source in result.missing:
        remedy = f"; {source.remedy}" if source.remedy else ""
        yield from _labelled("missing", f"{source.name}: {source.reason}{remedy}", width)
    for warning in result.warnings:
        yield from _labelled("warning", warning, width)


def run_queue_lines(result: WaitsResult, width: int) -> Iterator[str]:
    """Yield what ran while threads of the target were runnable."""
    total = sum(user.time_ns for user in result.run_queue)
    yield f"Ran while threads could run ({value_text(total, 'ns')} in the run queue):"
    for user in result.run_queue[:MAX_QUEUE_USERS]:
        share = percent(user.time_ns / total)
        yield from wrapped(f"  {share:>7}  {queue_user_text(user)}", width, " " * 11)
        if user.beside_idle_ns >= LEAST_BESIDE_IDLE * total:
            beside = percent(user.beside_idle_ns / total)
            yield from wrapped(f"  {beside:>7}  of it, while another CPU was idle", width, " " * 11)
    if len(result.run_queue) > MAX_QUEUE_USERS:
        rest = sum(user.time_ns for user in result.run_queue[MAX_QUEUE_USERS:])
        yield f"  {percent(rest / total):>7}  others"


def queue_user_text(user: QueueUser) -> str:
    """Return what ran: name, process id, cgroup."""
    facts = [] if user.pid is None else [f"pid {user.pid}"]
    if user.cgroup is not None:
        facts.append(f"cgroup {user.cgroup}")
    kind = "kernel thread " if user.kind == "kernel thread" else ""
    return f"{kind}{user.name}" + (f" ({', '.join(facts)})" if facts else "")


def _labelled(label: str, text: str, width: int) -> Iterator[str]:
    rows = wrapped(text, max(20, width - len(_INDENT) - 2))
    heads = [f"{label:<{len(_INDENT)}}  ", *[_INDENT + "  "] * (len(rows) - 1)]
    yield from (head + row for head, row in zip(heads, rows, strict=True))


def table(result: WaitsResult, width: int) -> Iterator[str]:
    """Yield a row per group; on a narrow terminal the smallest states have no column."""
    states = shown_states(result)
    total = {key: sum(group.states_ns[key] for group in result.groups) for key in states}
    heads = ["Group", "Threads", "Wall", *map(state_title, states)]
    several = len({group.process for group in result.groups}) > 1
    working = working_groups(result)
    idle = [group for group in result.groups if is_idle(result, group)]
    rows = [_group_row(group, states, several=several) for group in working[:MAX_GROUPS]]
    if len(working) > 1:
        rows.append(_sum_row("all working" if idle else "all", working, states))
    rows += [
        _group_row(group, states, several=several, mark="idle: ")
        for group in idle[: max(1, MAX_GROUPS - len(working))]
    ]
    smallest = [state_title(key) for key in sorted(states, key=lambda key: total[key])]
    columns = fitting_rows([heads, *rows], width, ["Threads", *smallest[:-1]])
    yield from columns
    left_out = [title for title in smallest if title not in columns[0]]
    if left_out:
        yield f"not shown: {', '.join(left_out)}; use a wider terminal or --json"
    more = len(result.groups) - min(len(working), MAX_GROUPS)
    more -= min(len(idle), max(1, MAX_GROUPS - len(working)))
    if more > 0:
        yield f"and {more:,} more groups"


def group_label(group: GroupWaits, *, several: bool) -> str:
    """Return the name of a group, with that of its program if there are ``several``."""
    name = group.name or "(no name)"
    if several and group.process != name:
        name = f"{group.process}/{name}"
    return shorten(name, _MAX_NAME)


def _group_row(group: GroupWaits, states: list[str], *, several: bool, mark: str = "") -> list[str]:
    label = mark + group_label(group, several=several)
    return _row(label, group.threads, group.wall_ns, group.states_ns, states)


def _sum_row(label: str, groups: Sequence[GroupWaits], states: list[str]) -> list[str]:
    sums = {key: sum(group.states_ns[key] for group in groups) for key in states}
    threads = sum(group.threads for group in groups)
    return _row(label, threads, sum(group.wall_ns for group in groups), sums, states)


def _row(
    label: str, threads: int, wall_ns: int, states_ns: Mapping[str, int], states: list[str]
) -> list[str]:
    cells = [share_text(states_ns[key], wall_ns) for key in states]
    return [label, f"{threads:,}", value_text(wall_ns, "ns"), *cells]


def unattributed_text(result: WaitsResult) -> str:
    """Return the share of time without a listed cause."""
    if result.unattributed_share is None:
        return "n/a: no thread lived during the recording"
    wall = sum(group.wall_ns for group in result.groups) or 1
    parts = [
        f"{key} {percent(sum(group.states_ns[key] for group in result.groups) / wall)}"
        for key in ("other", "unknown")
    ]
    return f"{percent(result.unattributed_share)} of the wall time ({', '.join(parts)})"


def interval_text(result: WaitsResult) -> str:
    """Return the 95 % intervals of the groups' states, in points; empty if all was recorded."""
    groups = []
    for group in result.groups[:MAX_INTERVAL_GROUPS]:
        errors = {key: error / group.wall_ns for key, error in (group.errors_ns or {}).items()}
        states = [
            f"{state_title(key)} \N{PLUS-MINUS SIGN}{100 * error:.1f}"
            for key, error in errors.items()
            if error > MIN_SHARE
        ]
        if states:
            groups.append(f"{shorten(group.name or '(no name)', _MAX_NAME)} {', '.join(states)}")
    return "; ".join(groups) and f"points, 95 %: {'; '.join(groups)}"


def source_texts(result: WaitsResult) -> Iterator[tuple[str, str]]:
    """Yield label and text of the sources, each with its states."""
    if intervals := interval_text(result):
        yield "intervals", intervals
    states_of: dict[str, list[str]] = {}
    for row in result.sources:
        if row.source != "none":
            states_of.setdefault(row.source, []).append(state_title(row.state))
    for source, states in states_of.items():
        yield "measured", f"{', '.join(states)}: {source}"
