"""The rows of a tree of slots: names, values, intervals, sources and bars."""

from collections.abc import Iterator
from dataclasses import dataclass

import click

from harness.cli.terminal import display_width, pad, printable, shorten
from harness.topdown.result import NodeRecord, Nodes, SlotInterval

MAX_BAR = 40
MIN_BAR = 5
MIN_NAME = 16
MARK = "<=="
_VALUE = 9
_MARGIN = 6  # the mark, a space and two empty columns


@dataclass(frozen=True, slots=True)
class RowStyle:
    """The format of rows: ``whole`` is all slots, ``origin`` the source printed on each row."""

    whole: float
    width: int
    origin: str = ""


@dataclass(frozen=True, slots=True)
class _Columns:
    """The widths of columns; 0 omits a column."""

    name: int
    interval: int
    unit: int
    origin: int
    bar: int


def rows(shown: Nodes, marked: frozenset[str], style: RowStyle) -> Iterator[str]:
    """Yield one line per node. A narrow terminal omits bars, then units, then shortens names.

    Values, intervals and sources are always printed.
    """
    columns = _columns(shown, style)
    for name, node in shown.items():
        indented = _indented(name, node)
        text = f"{pad(shorten(indented, columns.name), columns.name)}{_value(node, style.whole)}"
        if columns.interval:
            text += f" {interval_text(node.interval, style.whole):<{columns.interval}}"
        if columns.unit:
            text += f"  {pad(printable(node.unit), columns.unit)}"
        if columns.origin:
            text += f"  {_origin(node, style.origin):<{columns.origin}}"
        if columns.bar and node.possible is not None:
            text += f"  {bar(node.possible / style.whole, columns.bar)}"
        if name in marked:
            text = click.style(f"{text} {MARK}", fg="red", bold=True)
        yield text.rstrip()


def _indented(name: str, node: NodeRecord) -> str:
    return f"{'  ' * ((node.level or 1) - 1)}{printable(name)}"


def _columns(shown: Nodes, style: RowStyle) -> _Columns:
    nodes = shown.values()
    names = 2 + max((display_width(_indented(*item)) for item in shown.items()), default=0)
    interval = max((len(interval_text(node.interval, style.whole)) for node in nodes), default=0)
    unit = max((display_width(printable(node.unit)) for node in nodes), default=0)
    origin = max((len(_origin(node, style.origin)) for node in nodes), default=0)
    fixed = _VALUE + _MARGIN + (interval + 1 if interval else 0) + (origin + 2 if origin else 0)
    room = style.width - names - fixed - (unit + 2)
    if room >= MIN_BAR:
        return _Columns(names, interval, unit, origin, min(MAX_BAR, room))
    if room >= 0:
        return _Columns(names, interval, unit, origin, 0)
    return _Columns(max(MIN_NAME, min(names, style.width - fixed)), interval, 0, origin, 0)


def _value(node: NodeRecord, whole: float) -> str:
    if node.value is None:
        return f"{'n/a':>{_VALUE}}"
    sign = "!" if node.impossible else " "
    return f"{node.value / whole * 100:6.1f} %{sign}"


def _origin(node: NodeRecord, origin: str) -> str:
    return node.kind if origin and node.value is None else origin


def interval_text(interval: SlotInterval | None, whole: float) -> str:
    """Return an interval in percent, such as "[12.1, 13.4]", or an empty string."""
    if interval is None:
        return ""
    return f"[{interval.low / whole * 100:.1f}, {interval.high / whole * 100:.1f}]"


def bar(share: float, room: int) -> str:
    """Return a bar for a share of 0..1, in eighths of a column."""
    eighths = round(max(0.0, min(1.0, share)) * room * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
