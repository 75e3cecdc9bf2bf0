"""A result of the stages lab for the terminal: tables by load, simulated cache, slots, verdict."""

from collections.abc import Iterator, Sequence

from harness.cli.terminal import percent, wrapped
from harness.labs.stages.quantities import (
    QUANTITIES,
    TableQuantity,
    estimate_text,
    ratio_text,
)
from harness.labs.stages.result import LoadTable, SideEstimates, StagesResult
from harness.labs.stages.slot_rows import marked_text, slot_rows
from harness.topdown.phase_text import phase_lines
from harness.topdown.tree_rows import MARK

_WIDTHS = (24, 31, 31, 32)
TableRow = tuple[TableQuantity, SideEstimates]


def heading(result: StagesResult) -> str:
    """Return the path, the load and the CPUs in one sentence."""
    options, machine = result.options, result.machine
    synthetic = " (synthetic code)" if result.synthetic else ""
    l1i = "unknown" if machine.l1i_bytes is None else f"{machine.l1i_bytes // 1024} KB"
    servers = cpus_text(machine.server_cpus or (machine.server_cpu,))
    loaders = cpus_text(machine.loader_cpus or (machine.loader_cpu,))
    return (
        f"path {result.path}{synthetic}: {options.connections} connections, pipeline "
        f"{options.pipeline}; server on {servers} ({machine.cpu_model}, L1I {l1i}), "
        f"loader on {loaders}; replies deferred on both sides; {options.duration_s:g} s per run"
    )


def cpus_text(cpus: Sequence[int]) -> str:
    """Return one or several CPUs in words."""
    return f"CPU{'s' if len(cpus) > 1 else ''} {', '.join(map(str, cpus))}"


def stage_rows(result: StagesResult) -> list[tuple[str, str, str]]:
    """Return name, calls and calls per batch of every stage that had calls."""
    return [
        (stage.name, f"{stage.executed:,}", f"{stage.average_batch:.1f}")
        for stage in result.stages
        if stage.average_batch is not None
    ]


def lines(result: StagesResult, room: int) -> Iterator[str]:
    """Yield the lines for a terminal ``room`` columns wide."""
    yield from wrapped(heading(result), room)
    for table in result.loads:
        yield from _table_lines(result, table)
    yield ""
    yield from _simulated_lines(result)
    yield from _stage_lines(result)
    yield from _slot_lines(result, room)
    yield from phase_lines({str(side): counts for side, counts in result.counters.items()})
    for note in result.notes:
        yield from wrapped(note, room, "  ")
    yield ""
    yield from wrapped(f"verdict: {result.verdict}: {result.verdict_reason}", room, "  ")


def measured_rows(table: LoadTable) -> list[TableRow]:
    """Return the quantities that have a value on a side."""
    rows: list[TableRow] = [(quantity, getattr(table, quantity.field)) for quantity in QUANTITIES]
    return [(quantity, sides) for quantity, sides in rows if sides.unstaged.n or sides.staged.n]


def simulated_rows(result: StagesResult) -> list[tuple[str, str, str, str]]:
    """Return callgrind's counts as name, unstaged, staged, ratio; empty without replays."""
    misses, instructions = result.icache_miss_ratio, result.instructions_per_request
    rows = (
        ("I1 misses", misses.unstaged, misses.staged, 100, "{:.3g} % of fetches"),
        ("instructions", instructions.unstaged, instructions.staged, 1, "{:,.0f} per request"),
    )
    return [
        (
            name,
            form.format(scale * unstaged),
            form.format(scale * staged),
            f"{staged / unstaged:.3f}" if unstaged > 0 else "n/a",
        )
        for name, unstaged, staged, scale, form in rows
        if unstaged is not None and staged is not None
    ]


def ipc_texts(result: StagesResult) -> list[str]:
    """Return the IPC of both sides; "n/a" without a value."""
    trees = result.slot_trees
    return ["n/a" if tree.ipc is None else f"{tree.ipc.value:.2f}" for tree in trees]


def counted_miss_texts(result: StagesResult) -> list[str]:
    """Return the counted misses of the instruction cache on both sides; empty if not counted."""
    counted = result.icache_miss_ratio_counted
    if counted is None:
        return []
    return [
        "n/a" if value is None else percent(value) for value in (counted.unstaged, counted.staged)
    ]


def _columns(*texts: str) -> str:
    return "".join(f"{text:<{width}}" for text, width in zip(texts, _WIDTHS, strict=True)).rstrip()


def _table_lines(result: StagesResult, table: LoadTable) -> Iterator[str]:
    rows = measured_rows(table)
    if not rows:
        return
    yield ""
    title = table.level.text
    if table.share_of_capacity is not None:
        title += f" of the unstaged capacity of {result.capacity_per_s or 0:,.0f}/s"
    yield title
    yield _columns("", "unstaged", "staged", "staged / unstaged")
    for quantity, sides in rows:
        yield _columns(
            f"  {quantity.name}",
            estimate_text(sides.unstaged, quantity.text),
            estimate_text(sides.staged, quantity.text),
            ratio_text(sides.ratio),
        )


def _simulated_lines(result: StagesResult) -> Iterator[str]:
    rows = simulated_rows(result)
    if rows:
        yield f"simulated (modelled): {result.simulation.model}"
        yield _columns("", "unstaged", "staged", "staged / unstaged")
        yield from (_columns(f"  {name}", *texts) for name, *texts in rows)
        yield ""


def _stage_lines(result: StagesResult) -> Iterator[str]:
    rows = stage_rows(result)
    if len(rows) > 1:
        yield "stages of the saturated runs: calls, calls per batch"
        yield from (_columns(f"  {name}", calls, batch, "") for name, calls, batch in rows)
        yield ""


def _slot_lines(result: StagesResult, room: int) -> Iterator[str]:
    if not result.slot_trees:
        return
    kind = result.slot_trees[0].kind
    how = "counted while saturated" if kind == "measured" else "a replay in the logged batches"
    yield f"CPU slots ({kind}): {how}"
    yield _columns("", "unstaged", "staged", "")
    yield _columns("  IPC", *ipc_texts(result), "")
    if misses := counted_miss_texts(result):
        yield _columns("  L1I misses", *misses, "")
    for row in slot_rows(result):
        texts = [f"{side.text} {MARK}" if side.marked else side.text for side in row.sides]
        yield _columns(f"{'  ' * row.level}{row.name}", *texts, "")
    for side, tree in result.slots.items():
        yield from wrapped(f"bottleneck {side}: {marked_text(tree)}", room, "  ")
    if result.ipc_meaning:
        yield from wrapped(result.ipc_meaning, room, "  ")
    yield ""
