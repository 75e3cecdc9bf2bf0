"""The counters of the scale lab for the terminal: one row per event, one column per point."""

from collections.abc import Iterator, Sequence

from harness.labs.scale.counters import GROWTH_MARK, CountedPoint, CounterGrowth
from harness.labs.scale.options import ScaleAxis

_LABEL_WIDTH = 26
_CELL_WIDTH = 16


def counter_lines(points: Sequence[CountedPoint]) -> Iterator[str]:
    """Yield the tables of all axes; nothing without counted points."""
    for axis in ScaleAxis:
        of_axis = [point for point in points if point.axis == axis]
        if not of_axis:
            continue
        yield ""
        head = "".join(f"{point.n:>{_CELL_WIDTH}}" for point in of_axis)
        yield f"{f'counters by {axis}':<{_LABEL_WIDTH}}{head}"
        for title, cell in (("per request", _per_request), ("per thread", _per_thread)):
            yield f"  {title}"
            for row in zip(*(point.events for point in of_axis), strict=True):
                if any(cell(item) for item in row):
                    cells = "".join(f"{cell(item) or 'n/a':>{_CELL_WIDTH}}" for item in row)
                    yield f"    {row[0].label[: _LABEL_WIDTH - 5]:<{_LABEL_WIDTH - 4}}{cells}"
        yield from _shares(of_axis)
        yield f"  !: more than {GROWTH_MARK:g} times the count per request of the first column"


def unavailable_events(points: Sequence[CountedPoint]) -> Iterator[str]:
    """Yield the events that no point has, each with its reason."""
    if not points:
        return
    for event in points[0].counts.events:
        if event.count is None and not points[0].counts.unavailable:
            yield f"{event.event} is unavailable: {event.reason}"


def _per_request(item: CounterGrowth) -> str:
    if item.per_request is None:
        return ""
    growth = f" !{item.growth:.2f}x" if item.grows else ""
    return f"{_number(item.per_request)}{growth}"


def _per_thread(item: CounterGrowth) -> str:
    return "" if item.per_thread is None else _number(item.per_thread)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _shares(points: Sequence[CountedPoint]) -> Iterator[str]:
    """Yield IPC and the first level of slots."""
    rows: dict[str, list[float | None]] = {}
    for number, point in enumerate(points):
        values = {"IPC": point.counts.ipc} | {slot.name: slot.share for slot in point.counts.slots}
        for name, value in values.items():
            rows.setdefault(name, [None] * len(points))[number] = value
    for name, row in rows.items():
        if any(value is not None for value in row):
            texts = ["n/a" if value is None else f"{value:.2f}" for value in row]
            cells = "".join(f"{text:>{_CELL_WIDTH}}" for text in texts)
            yield f"  {name[: _LABEL_WIDTH - 3]:<{_LABEL_WIDTH - 2}}{cells}"
