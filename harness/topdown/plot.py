"""Intervals of a measurement as a picture: slots of the first level stacked over time, and IPC."""

from functools import partial
from typing import TYPE_CHECKING

from harness.cli.terminal import printable
from harness.page.pictures import picture_bytes
from harness.topdown.categories import category
from harness.topdown.intervals import first_level, percent_of, root_names
from stallscope.errors import UsageError
from topdown.slots.measurement import Kind, Measurement

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE_INCHES = (9.0, 5.0)
_LONGEST_TITLE = 110


def picture(measurement: Measurement, file_format: str) -> bytes:
    """Return the picture of a measurement's intervals, as SVG or PNG.

    Raises UsageError where it has none. Every text is drawn as it is: none is read as a formula.
    """
    if not measurement.slices:
        raise UsageError("there are no intervals to plot", "ask for them: -I 100")
    return picture_bytes(partial(_draw, measurement), file_format, _SIZE_INCHES)


def _draw(measurement: Measurement, figure: "Figure") -> None:
    slots, ipc = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    figure.suptitle(_title(measurement), fontsize=9, x=0.01, ha="left")
    edges = [measurement.slices[0].start_s, *(each.end_s for each in measurement.slices)]
    _stack(slots, measurement, edges)
    values = [float("nan") if each.ipc is None else each.ipc.value for each in measurement.slices]
    ipc.stairs(values, edges, color="#333333", baseline=None)
    ipc.set_ylim(bottom=0)
    ipc.set_ylabel("IPC")
    ipc.set_xlabel("seconds since the start")
    ipc.set_xlim(edges[0], edges[-1])


def _stack(axes: "Axes", measurement: Measurement, edges: list[float]) -> None:
    """Draw the first level's shares on top of one another; a gap where one cannot be."""
    below = [0.0] * len(measurement.slices)
    for name in root_names(measurement):
        shares = [percent_of(each, name, measurement.whole) for each in measurement.slices]
        tops = [base + (share or 0.0) for share, base in zip(shares, below, strict=True)]
        drawn = [
            float("nan") if share is None else top for share, top in zip(shares, tops, strict=True)
        ]
        colour = category(name).picture
        axes.stairs(drawn, edges, baseline=below, fill=True, color=colour, label=printable(name))
        below = tops
    axes.set_ylim(0, 100)
    axes.set_ylabel(f"% of {_unit(measurement)}")
    axes.legend(
        loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, frameon=False, reverse=True
    )


def _unit(measurement: Measurement) -> str:
    units = {node.unit for each in measurement.slices for node in first_level(each.nodes)}
    return units.pop() if len(units) == 1 else "slots"


def _title(measurement: Measurement) -> str:
    about = f"{measurement.title or measurement.cpu}: {measurement.source}"
    if len(about) > _LONGEST_TITLE:
        about = about[: _LONGEST_TITLE - 1] + "…"
    sure = [str(measurement.kind)]
    if measurement.kind is Kind.MEASURED and not measurement.verified:
        sure.append("unverified on this CPU")
    return printable(f"{about} ({', '.join(sure)})")
