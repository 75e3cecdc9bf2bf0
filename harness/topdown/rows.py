"""The rows of a tree of slots: names, values, intervals, sources and bars, as the width allows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from harness.cli.terminal import printable, shorten
from topdown.slots.measurement import Interval, Kind, MeasuredNode

LONGEST_BAR = 40
LEAST_BAR = 5
LEAST_NAME = 16
MARK = "<=="
_VALUE = 9
_MARGIN = 6  # the mark with its space, and two columns that stay empty


@dataclass(frozen=True, slots=True)
class Look:
    """How rows look: ``whole`` is all slots, ``origin`` the word that each row says."""

    whole: float
    width: int
    origin: str = ""


@dataclass(frozen=True, slots=True)
class _Columns:
    """The widths of what fits; 0 is left out."""

    name: int
    interval: int
    unit: int
    origin: int
    bar: int


def rows(shown: Sequence[MeasuredNode], marked: frozenset[str], look: Look) -> Iterator[str]:
    """Yield one line a node; bars, then units, then long names give way in a narrow terminal.

    Value, interval and source never do: a number stands on no line without them.
    """
    columns = _columns(shown, look)
    for node in shown:
        indented = f"{'  ' * ((node.level or 1) - 1)}{printable(node.name)}"
        text = f"{shorten(indented, columns.name):<{columns.name}}{_value(node, look.whole)}"
        if columns.interval:
            text += f" {interval_text(node.interval, look.whole):<{columns.interval}}"
        if columns.unit:
            text += f"  {node.unit:<{columns.unit}}"
        if columns.origin:
            text += f"  {_origin(node, look.origin):<{columns.origin}}"
        if columns.bar and node.value is not None and not node.impossible:
            text += f"  {bar(node.value / look.whole, columns.bar)}"
        if node.name in marked:
            text = click.style(f"{text} {MARK}", fg="red", bold=True)
        yield text.rstrip()


def _columns(shown: Sequence[MeasuredNode], look: Look) -> _Columns:
    names = max((len(node.name) + 2 * (node.level or 1) for node in shown), default=0)
    between = max((len(interval_text(node.interval, look.whole)) for node in shown), default=0)
    unit = max((len(node.unit) for node in shown), default=0)
    origin = max((len(_origin(node, look.origin)) for node in shown), default=0)
    fixed = _VALUE + _MARGIN + (between + 1 if between else 0) + (origin + 2 if origin else 0)
    room = look.width - names - fixed - (unit + 2)
    if room >= LEAST_BAR:
        return _Columns(names, between, unit, origin, min(LONGEST_BAR, room))
    if room >= 0:
        return _Columns(names, between, unit, origin, 0)
    return _Columns(max(LEAST_NAME, min(names, look.width - fixed)), between, 0, origin, 0)


def _value(node: MeasuredNode, whole: float) -> str:
    if node.value is None:
        return f"{'n/a':>{_VALUE}}"
    sign = "!" if node.impossible else " "
    return f"{node.value / whole * 100:6.1f} %{sign}"


def _origin(node: MeasuredNode, origin: str) -> str:
    return str(Kind.UNAVAILABLE) if origin and node.value is None else origin


def interval_text(interval: Interval | None, whole: float) -> str:
    """Return an interval's ends in percent, as "[12.1, 13.4]"; empty where there is none."""
    if interval is None:
        return ""
    return f"[{interval.low / whole * 100:.1f}, {interval.high / whole * 100:.1f}]"


def bar(share: float, room: int) -> str:
    """Return a bar of a share of 0..1, in eighths of a column."""
    eighths = round(max(0.0, min(1.0, share)) * room * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
