"""The stages lab as text: what was run, the table, the simulated cache, slots, the verdict."""

from collections.abc import Iterator

from harness.cli.terminal import percent, wrapped
from harness.labs.stages.conclusion import conclude
from harness.labs.stages.notes import heading, notes
from harness.labs.stages.plan import Side
from harness.labs.stages.results import StagesResults
from harness.labs.stages.rows import Row, estimate_text, measured_rows, ratio_text

_WIDTHS = (20, 31, 31, 32)


def lines(results: StagesResults, room: int) -> Iterator[str]:
    """Return the lines, for a terminal or a pipe of that many columns."""
    yield from wrapped(heading(results), room)
    last = None
    for row in measured_rows(results):
        if row.load != last:
            yield ""
            what = row.load.describe()
            if row.load.share is not None:
                what += f" of the unstaged capacity of {results.capacity_per_s or 0:,.0f}/s"
            yield what
            yield _columns("", "unstaged", "staged", "staged / unstaged")
            last = row.load
        yield _line(row)
    yield ""
    yield from _simulated(results)
    yield from _slots(results)
    for note in notes(results):
        yield from wrapped(note, room, "  ")
    verdict = conclude(results)
    yield ""
    yield from wrapped(f"verdict: {verdict.conclusion}: {verdict.reason}", room, "  ")


def _columns(*texts: str) -> str:
    return "".join(f"{text:<{width}}" for text, width in zip(texts, _WIDTHS, strict=True)).rstrip()


def _line(row: Row) -> str:
    text = row.quantity.text
    return _columns(
        f"  {row.quantity.name}",
        estimate_text(row.unstaged, text),
        estimate_text(row.staged, text),
        ratio_text(row.ratio),
    )


def _simulated(results: StagesResults) -> Iterator[str]:
    found = simulated_rows(results)
    if found:
        yield f"simulated (modelled): {results.replays.model}"
        yield _columns("", "unstaged", "staged", "staged / unstaged")
        yield from (_columns(f"  {name}", *texts) for name, *texts in found)
        yield ""


def simulated_rows(results: StagesResults) -> list[tuple[str, str, str, str]]:
    """Return what callgrind counted: name, unstaged, staged, ratio; empty without replays."""
    unstaged, staged = results.replays.unstaged, results.replays.staged
    if unstaged is None or staged is None:
        return []
    pairs = (
        (
            "I1 misses",
            100 * unstaged.icache_miss_ratio,
            100 * staged.icache_miss_ratio,
            "{:.3g} % of fetches",
        ),
        (
            "instructions",
            unstaged.instructions_per_request,
            staged.instructions_per_request,
            "{:,.0f} a request",
        ),
    )
    return [
        (
            name,
            form.format(before),
            form.format(after),
            f"{after / before:.3f}" if before > 0 else "n/a",
        )
        for name, before, after, form in pairs
    ]


def _slots(results: StagesResults) -> Iterator[str]:
    sides = results.slots.sides
    if not sides:
        return
    yield "counted while saturated (measured)"
    yield _columns("", "unstaged", "staged", "")
    names = dict.fromkeys(name for slots in sides.values() for name in slots.values)
    for name in names:
        found = [sides[side].values.get(name) if side in sides else None for side in Side]
        yield _columns(f"  {name}", *(slot_text(name, value) for value in found), "")
    yield ""


def slot_text(name: str, value: float | None) -> str:
    """Return a share of slots in percent, IPC as it is; "n/a" where it has no value."""
    if value is None:
        return "n/a"
    return f"{value:.2f}" if name == "IPC" else percent(value)
