"""A result of the stages lab for the terminal: tables by load, simulated cache, slots, verdict."""

from collections.abc import Iterator

from harness.cli.terminal import percent, wrapped
from harness.labs.stages.quantities import (
    QUANTITIES,
    TableQuantity,
    estimate_text,
    ratio_text,
)
from harness.labs.stages.result import LoadTable, SideEstimates, StagesResult

_WIDTHS = (20, 31, 31, 32)
TableRow = tuple[TableQuantity, SideEstimates]


def heading(result: StagesResult) -> str:
    """Return the path, the load and the CPUs in one sentence."""
    options, machine = result.options, result.machine
    synthetic = " (synthetic code)" if result.synthetic else ""
    l1i = "unknown" if machine.l1i_bytes is None else f"{machine.l1i_bytes // 1024} KB"
    return (
        f"path {result.path}{synthetic}: {options.connections} connections, pipeline "
        f"{options.pipeline}; server on CPU {machine.server_cpu} ({machine.cpu_model}, L1I {l1i}), "
        f"loader on CPU {machine.loader_cpu}; replies deferred on both sides; "
        f"{options.duration_s:g} s per run"
    )


def lines(result: StagesResult, room: int) -> Iterator[str]:
    """Yield the lines for a terminal ``room`` columns wide."""
    yield from wrapped(heading(result), room)
    for table in result.loads:
        yield from _table_lines(result, table)
    yield ""
    yield from _simulated_lines(result)
    yield from _slot_lines(result)
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


def slot_text(name: str, value: float | None) -> str:
    """Return a share of slots in percent, or IPC; "n/a" without a value."""
    if value is None:
        return "n/a"
    return f"{value:.2f}" if name == "IPC" else percent(value)


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


def _slot_lines(result: StagesResult) -> Iterator[str]:
    if not result.slots:
        return
    yield "counted while saturated (measured)"
    yield _columns("", "unstaged", "staged", "")
    for name in result.slot_names:
        texts = [slot_text(name, value) for value in result.slot_values(name)]
        yield _columns(f"  {name}", *texts, "")
    yield ""
