"""A storm as a picture: reader's latency and writer's bandwidth by limit, with matplotlib."""

from functools import partial
from typing import TYPE_CHECKING

from harness.cli.terminal import printable
from harness.labs.storm.panel import (
    PERCENTILES,
    limit_position,
    rows_by_kind,
    unlimited_position,
)
from harness.labs.storm.result import StormResult
from harness.page.axes import finish_axes
from harness.page.pictures import picture_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE_INCHES = (9.0, 7.5)
_NS_PER_MS = 1e6
_MIB = 2**20
# Percentiles and kinds differ by mark and dash as well as by colour.
_PERCENTILE_STYLES = (("#0072b2", "o"), ("#d55e00", "s"), ("#117733", "^"))
_KIND_DASHES = ("-", "--")


def storm_picture(result: StormResult, file_format: str) -> bytes:
    """Return the picture as SVG or PNG."""
    return picture_bytes(partial(_draw, result), file_format, _SIZE_INCHES)


def _draw(result: StormResult, figure: "Figure") -> None:
    latency, bandwidth = figure.subplots(2, 1, sharex=True)
    figure.suptitle(printable(f"{result.title} ({result.source})\n{result.verdict}"), fontsize=11)
    kinds = rows_by_kind(result)
    for dash, (kind, rows) in zip(_KIND_DASHES, kinds, strict=False):
        for (colour, mark), name in zip(_PERCENTILE_STYLES, PERCENTILES, strict=True):
            points = [(limit_position(result, row), row.reader_ns.by_name[name]) for row in rows]
            drawn = sorted((x, value / _NS_PER_MS) for x, value in points if value is not None)
            latency.plot(
                *zip(*drawn, strict=True) if drawn else ((), ()),
                dash, color=colour, marker=mark, markersize=4, label=f"{name}, {kind}",
            )  # fmt: skip
        points = [(limit_position(result, row), row.writer_bytes_per_s) for row in rows]
        drawn = sorted((x, value / _MIB) for x, value in points if value is not None)
        bandwidth.plot(
            *zip(*drawn, strict=True) if drawn else ((), ()),
            dash, color="#222222", marker="o", markersize=4, label=kind,
        )  # fmt: skip
    latency.set_yscale("log")
    latency.set_ylabel("reader's latency, ms")
    bandwidth.set_ylim(bottom=0)
    bandwidth.set_ylabel("writer's bandwidth, MiB/s")
    bandwidth.set_xlabel("limit on outstanding requests (dotted: recommended)")
    for axes in (latency, bandwidth):
        _finish(result, axes)


def _finish(result: StormResult, axes: "Axes") -> None:
    axes.set_xscale("log", base=2)
    limits = sorted({row.limit for row in result.table_rows if row.limit is not None})
    end = unlimited_position(result)
    axes.set_xticks([*limits, end], [*map(str, limits), "all"])
    axes.axvline(result.recommended.limit, color="#555555", linestyle=":", linewidth=1)
    finish_axes(axes)
