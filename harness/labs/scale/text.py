"""A result of the scale lab for the terminal, and as CSV."""

from collections.abc import Iterator

from harness.cli.terminal import wrapped
from harness.labs.scale.counter_table import counter_lines
from harness.labs.scale.options import ScaleAxis
from harness.labs.scale.result import LabScaleResult

CSV_HEAD = "axis,N,X,X_low,X_high,runs,loader_limited,shared_cpu"


def lines(result: LabScaleResult, room: int) -> Iterator[str]:
    """Yield the tables for a terminal ``room`` columns wide."""
    machine = result.machine
    loader = "" if machine.loader_cpu is None else f", loader on CPU {machine.loader_cpu}"
    yield (
        f"path {result.path}, {result.workload}, stages {'on' if result.stages else 'off'}, "
        f"pipeline {result.pipeline}; {machine.cpu_model}{loader}"
    )
    for axis in ScaleAxis:
        points = result.axis_points(axis)
        if not points:
            continue
        yield ""
        yield f"{axis:>12}  {'requests/s':>12}  {'speed-up':>8}  low to high"
        for point in points:
            mark = "*" if point.shared_cpu else " "
            speed_up = point.throughput_per_s / points[0].throughput_per_s
            yield (
                f"{point.n:>11}{mark}  {point.throughput_per_s:>12,.0f}  {speed_up:>8.2f}"
                f"  {point.low_per_s:,.0f} to {point.high_per_s:,.0f} n={len(point.runs)}"
            )
    yield from counter_lines(result.counted)
    yield ""
    for note in result.notes:
        yield from wrapped(note, room, "  ")


def csv_lines(result: LabScaleResult) -> Iterator[str]:
    """Yield the lines of a CSV file with N and X, as a fit of scalability needs them."""
    yield CSV_HEAD
    for point in result.points:
        yield (
            f"{point.axis},{point.n},{point.throughput_per_s:.6g},{point.low_per_s:.6g},"
            f"{point.high_per_s:.6g},{len(point.runs)},{point.loader_limited},"
            f"{int(point.shared_cpu)}"
        )
