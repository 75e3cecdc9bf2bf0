"""A result of the memory lab as a picture: latency curve with levels, strides, threads."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from harness.cli.terminal import printable
from harness.labs.memory.points import Pages
from harness.labs.memory.result import MemoryPoint, MemoryResult
from harness.labs.memory.text import stride_text
from harness.page.pictures import picture_bytes
from stallscope.quantities import size_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE_INCHES = (11.0, 9.0)
# Lines differ by mark and dash as well as by colour.
_STYLES = {Pages.HUGE: ("#0072b2", "o", "-"), Pages.SMALL: ("#d55e00", "s", "--")}
_THREAD_MARKS = "osv^D*XP"


def memory_picture(result: MemoryResult, file_format: str) -> bytes:
    """Return the picture as SVG or PNG."""
    return picture_bytes(partial(_draw, result), file_format, _SIZE_INCHES)


def _draw(result: MemoryResult, figure: "Figure") -> None:
    panels = figure.subplot_mosaic([["curve", "curve"], ["strides", "threads"]])
    machine = result.machine
    title = f"Latency of a load on CPU {machine.cpus[0]}, {machine.cpu} (measured, fastest repeat)"
    figure.suptitle(printable(title), fontsize=11)
    _curve(panels["curve"], result)
    _strides(figure, panels["strides"], result.strides.points)
    _threads(panels["threads"], result.threads.points)


def _curve(axes: "Axes", result: MemoryResult) -> None:
    for pages, (colour, mark, dash) in _STYLES.items():
        points = [point for point in result.curve.points if point.pages is pages]
        if points:
            sizes = [point.ring_bytes for point in points]
            smallest = [point.min_ns for point in points]
            axes.plot(
                sizes, smallest, dash, color=colour, marker=mark, markersize=3.5,
                label=f"{pages} pages",
            )  # fmt: skip
            axes.fill_between(
                sizes, smallest, [point.median_ns for point in points], color=colour, alpha=0.2,
                linewidth=0,
            )  # fmt: skip
    for cache in result.machine.caches:
        axes.axvline(cache.size_bytes, color="#555555", linestyle=":", linewidth=1)
        axes.annotate(
            f"sysfs L{cache.level}: {size_text(cache.size_bytes)}",
            (cache.size_bytes, 1.01), xycoords=("data", "axes fraction"),
            va="bottom", ha="center", fontsize=8, color="#555555",
        )  # fmt: skip
    for row in result.levels:
        level = row.detected
        if level is not None:
            begin = level.first_bytes or level.fits_bytes
            end = level.exceeds_bytes or level.fits_bytes
            is_last = level.exceeds_bytes is None
            axes.hlines(level.latency_ns, begin, end, color="#222222", lw=1)
            axes.annotate(
                f"{row.name} {level.latency_ns:.3g} ns",
                (end if is_last else begin, level.latency_ns),
                textcoords="offset points", xytext=(0, 6), fontsize=9,
                ha="right" if is_last else "left",
            )  # fmt: skip
    _log_axes(axes, result.curve.points)
    axes.set_title("by ring size; horizontal lines: detected levels", fontsize=10, pad=18)


def _log_axes(axes: "Axes", points: Sequence[MemoryPoint]) -> None:
    """Scale both axes logarithmically, with a tick at every second octave of the ring size."""
    axes.set_ylabel("ns per step")
    axes.set_xlabel("ring")
    if not points:
        axes.annotate("not measured", (0.5, 0.5), xycoords="axes fraction", ha="center")
        return
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    smallest = min(point.ring_bytes for point in points)
    largest = max(point.ring_bytes for point in points)
    powers = range(smallest.bit_length() - 1, largest.bit_length(), 2)
    axes.set_xticks([1 << power for power in powers], [size_text(1 << power) for power in powers])
    axes.tick_params(axis="x", labelrotation=30, labelsize=8)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(fontsize=9, loc="upper left")


def _strides(figure: "Figure", axes: "Axes", points: Sequence[MemoryPoint]) -> None:
    axes.set_title("by stride and number of lines", fontsize=10)
    if not points:
        axes.annotate("not measured", (0.5, 0.5), xycoords="axes fraction", ha="center")
        return
    from matplotlib.colors import LogNorm  # noqa: PLC0415 - heavy

    latency_ns = {(point.stride_bytes, point.lines): point.min_ns for point in points}
    strides = sorted({stride for stride, _ in latency_ns})
    counts = sorted({count for _, count in latency_ns})
    nan = float("nan")
    cells = [[latency_ns.get((stride, count), nan) for count in counts] for stride in strides]
    smallest, largest = min(latency_ns.values()), max(latency_ns.values())
    # LogNorm needs a span: a single value gets the first colour of the scale.
    mesh = axes.pcolormesh(
        cells, norm=LogNorm(smallest, max(largest, smallest * 1.01)), cmap="cividis"
    )
    axes.set_xticks([index + 0.5 for index in range(len(counts))], [str(c) for c in counts])
    axes.set_yticks(
        [index + 0.5 for index in range(len(strides))], [stride_text(s) for s in strides]
    )
    axes.tick_params(labelsize=7)
    axes.set_xlabel("lines")
    axes.set_ylabel("stride")
    scale = figure.colorbar(mesh, ax=axes, label="ns per step", format="{x:g}")
    scale.ax.yaxis.set_minor_formatter("{x:g}")


def _threads(axes: "Axes", points: Sequence[MemoryPoint]) -> None:
    for index, count in enumerate(sorted({len(point.cpus) for point in points})):
        rings = [point for point in points if len(point.cpus) == count]
        axes.plot(
            [point.ring_bytes for point in rings],
            [point.min_ns for point in rings],
            marker=_THREAD_MARKS[index % len(_THREAD_MARKS)],
            markersize=3.5,
            label=f"{count} thread{'s' if count > 1 else ''}",
        )
    _log_axes(axes, points)
    axes.set_title("by threads, with a private ring per thread", fontsize=10)
