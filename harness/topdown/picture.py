"""A picture of intervals: first-level slots stacked over time, and IPC."""

from functools import partial
from typing import TYPE_CHECKING

from harness.cli.terminal import printable
from harness.page.pictures import picture_bytes
from harness.topdown.categories import category
from harness.topdown.interval_text import percent_of, root_names
from harness.topdown.result import TopdownResult, first_level
from stallscope.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE_INCHES = (9.0, 5.0)
_MAX_TITLE_CHARS = 110


def picture(result: TopdownResult, file_format: str) -> bytes:
    """Return the picture of a result's intervals, as SVG or PNG.

    Raises UsageError without intervals. Texts are not interpreted as formulas.
    """
    if not result.intervals:
        raise UsageError("there are no intervals to plot", "add -I 100")
    return picture_bytes(partial(_draw, result), file_format, _SIZE_INCHES)


def _draw(result: TopdownResult, figure: "Figure") -> None:
    slots, ipc = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    figure.suptitle(_title(result), fontsize=9, x=0.01, ha="left")
    edges = [result.intervals[0].start_s, *(time_slice.end_s for time_slice in result.intervals)]
    _stack(slots, result, edges)
    values = [
        float("nan") if time_slice.ipc is None else time_slice.ipc.value
        for time_slice in result.intervals
    ]
    ipc.stairs(values, edges, color="#333333", baseline=None)
    ipc.set_ylim(bottom=0)
    ipc.set_ylabel("IPC")
    ipc.set_xlabel("seconds since the start")
    ipc.set_xlim(edges[0], edges[-1])


def _stack(axes: "Axes", result: TopdownResult, edges: list[float]) -> None:
    """Draw the first level's shares stacked, with gaps for impossible values."""
    below = [0.0] * len(result.intervals)
    for name in root_names(result):
        shares = [percent_of(time_slice, name, result.whole) for time_slice in result.intervals]
        tops = [base + (share or 0.0) for share, base in zip(shares, below, strict=True)]
        drawn = [
            float("nan") if share is None else top for share, top in zip(shares, tops, strict=True)
        ]
        colour = category(name).picture
        axes.stairs(drawn, edges, baseline=below, fill=True, color=colour, label=printable(name))
        below = tops
    axes.set_ylim(0, 100)
    axes.set_ylabel(f"% of {_unit(result)}")
    axes.legend(
        loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, frameon=False, reverse=True
    )


def _unit(result: TopdownResult) -> str:
    units = {
        node.unit
        for time_slice in result.intervals
        for node in first_level(time_slice.nodes).values()
    }
    return units.pop() if len(units) == 1 else "slots"


def _title(result: TopdownResult) -> str:
    about = f"{result.title or result.cpu}: {result.source}"
    if len(about) > _MAX_TITLE_CHARS:
        about = about[: _MAX_TITLE_CHARS - 1] + "…"
    qualifiers = [str(result.kind)]
    if result.kind == "measured" and not result.verified:
        qualifiers.append("unverified on this CPU")
    return printable(f"{about} ({', '.join(qualifiers)})")
