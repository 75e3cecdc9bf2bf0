"""The memory lab's picture: the latency curve with its levels, strides, and threads."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from harness.cli.terminal import printable
from harness.labs.memory.experiment import LabResults
from harness.labs.memory.findings import Findings
from harness.labs.memory.plan import Section
from harness.labs.memory.points import Measured, Pages
from harness.labs.memory.text import stride_text
from harness.page.pictures import picture_bytes
from stallscope.quantities import size_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE_INCHES = (11.0, 9.0)
# Told apart without colour as well: by mark and dash.
_STYLES = {Pages.HUGE: ("#0072b2", "o", "-"), Pages.SMALL: ("#d55e00", "s", "--")}
_THREAD_MARKS = "osv^D*XP"


def picture(results: LabResults, findings: Findings, cpu_model: str, file_format: str) -> bytes:
    """Return the picture as SVG or PNG."""
    draw = partial(_draw, results, findings, cpu_model)
    return picture_bytes(draw, file_format, _SIZE_INCHES)


def _draw(results: LabResults, findings: Findings, cpu_model: str, figure: "Figure") -> None:
    panels = figure.subplot_mosaic([["curve", "curve"], ["strides", "threads"]])
    cpu = results.machine.cpus[0]
    figure.suptitle(
        printable(f"Latency of a load on CPU {cpu}, {cpu_model} (measured, least of the repeats)"),
        fontsize=11,
    )
    _curve(panels["curve"], results, findings)
    _strides(figure, panels["strides"], results.section(Section.STRIDES).measured)
    _threads(panels["threads"], results.section(Section.THREADS).measured)


def _curve(axes: "Axes", results: LabResults, findings: Findings) -> None:
    measured = results.section(Section.CURVE).measured
    for pages, (colour, mark, dash) in _STYLES.items():
        rings = [each for each in measured if each.point.pages is pages]
        if rings:
            sizes = [each.point.ring_bytes for each in rings]
            least = [each.least_ns for each in rings]
            axes.plot(
                sizes, least, dash, color=colour, marker=mark, markersize=3.5,
                label=f"{pages} pages",
            )  # fmt: skip
            axes.fill_between(
                sizes, least, [each.median_ns for each in rings], color=colour, alpha=0.2,
                linewidth=0,
            )  # fmt: skip
    for cache in results.machine.caches:
        axes.axvline(cache.size_bytes, color="#555555", linestyle=":", linewidth=1)
        axes.annotate(
            f"sysfs L{cache.level}: {size_text(cache.size_bytes)}",
            (cache.size_bytes, 1.01), xycoords=("data", "axes fraction"),
            va="bottom", ha="center", fontsize=8, color="#555555",
        )  # fmt: skip
    for row in findings.rows:
        if row.found is not None:
            end = row.found.exceeds_bytes or row.found.fits_bytes
            at_the_end = row.found.exceeds_bytes is None
            axes.hlines(row.found.latency_ns, row.found.first_bytes, end, color="#222222", lw=1)
            axes.annotate(
                f"{row.name} {row.found.latency_ns:.3g} ns",
                (end if at_the_end else row.found.first_bytes, row.found.latency_ns),
                textcoords="offset points", xytext=(0, 6), fontsize=9,
                ha="right" if at_the_end else "left",
            )  # fmt: skip
    _log_axes(axes, measured)
    axes.set_title("by ring size; lines across: levels found", fontsize=10, pad=18)


def _log_axes(axes: "Axes", measured: Sequence[Measured]) -> None:
    """Scale both axes logarithmically, with a mark at every other octave of the ring size."""
    axes.set_ylabel("ns a step")
    axes.set_xlabel("ring")
    if not measured:
        axes.annotate("not measured", (0.5, 0.5), xycoords="axes fraction", ha="center")
        return
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    least = min(each.point.ring_bytes for each in measured)
    most = max(each.point.ring_bytes for each in measured)
    powers = range(least.bit_length() - 1, most.bit_length(), 2)
    axes.set_xticks([1 << power for power in powers], [size_text(1 << power) for power in powers])
    axes.tick_params(axis="x", labelrotation=30, labelsize=8)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(fontsize=9, loc="upper left")


def _strides(figure: "Figure", axes: "Axes", measured: Sequence[Measured]) -> None:
    axes.set_title("by stride and number of lines", fontsize=10)
    if not measured:
        axes.annotate("not measured", (0.5, 0.5), xycoords="axes fraction", ha="center")
        return
    from matplotlib.colors import LogNorm  # noqa: PLC0415 - heavy

    found = {(each.point.stride_bytes, each.point.lines): each.least_ns for each in measured}
    strides = sorted({stride for stride, _ in found})
    counts = sorted({count for _, count in found})
    nan = float("nan")
    cells = [[found.get((stride, count), nan) for count in counts] for stride in strides]
    least, most = min(found.values()), max(found.values())
    # LogNorm wants a span: an only value is drawn in the scale's first colour.
    mesh = axes.pcolormesh(cells, norm=LogNorm(least, max(most, least * 1.01)), cmap="cividis")
    axes.set_xticks([place + 0.5 for place in range(len(counts))], [str(c) for c in counts])
    axes.set_yticks(
        [place + 0.5 for place in range(len(strides))], [stride_text(s) for s in strides]
    )
    axes.tick_params(labelsize=7)
    axes.set_xlabel("lines")
    axes.set_ylabel("stride")
    scale = figure.colorbar(mesh, ax=axes, label="ns a step", format="{x:g}")
    scale.ax.yaxis.set_minor_formatter("{x:g}")


def _threads(axes: "Axes", measured: Sequence[Measured]) -> None:
    for place, count in enumerate(sorted({len(each.point.cpus) for each in measured})):
        rings = [each for each in measured if len(each.point.cpus) == count]
        axes.plot(
            [each.point.ring_bytes for each in rings],
            [each.least_ns for each in rings],
            marker=_THREAD_MARKS[place % len(_THREAD_MARKS)],
            markersize=3.5,
            label=f"{count} thread{'s' if count > 1 else ''}",
        )
    _log_axes(axes, measured)
    axes.set_title("by threads, each with a ring of its own", fontsize=10)
