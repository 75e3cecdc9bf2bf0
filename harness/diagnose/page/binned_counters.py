"""The kernel's counters by bin of time, for selecting a period in the page.

Counters are read at most twice per second; between two readings an increase is spread evenly.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from harness.diagnose.readings.reading import DiskTotals, MachineReading
from harness.profile.time_bins import TimeGrid
from harness.waits.binned import BinnedValues

_NS_PER_MS = 1_000_000
_PER_TICK = 1_000_000  # so that parts of ticks are integers
TICKS = ("all", "idle", "iowait", "stolen")


def add_counters(series: BinnedValues, readings: Sequence[MachineReading], grid: TimeGrid) -> None:
    """Add the values of disks, and the ticks of the CPUs, by bin."""
    for number in range(grid.count):
        series.values.setdefault(("time", "wall"), {})[number] = grid.bin_ns
    for name in {disk.name for row in readings for disk in row.disks}:
        for key, value in _DISK_VALUES.items():
            _add(
                series, (*key[:1], "disk", name, *key[1:]), _disk_rows(readings, name, value), grid
            )
    for field in TICKS:
        rows = [
            (row.monotonic_ns, getattr(row.cpu, field) * _PER_TICK)
            for row in readings
            if row.cpu is not None
        ]
        _add(series, ("time", "ticks", field), rows, grid)


def increases(rows: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Yield begin, end and increase between readings of a counter; a reset counts as nothing."""
    for (begin_ns, before), (end_ns, after) in pairwise(rows):
        if end_ns > begin_ns:
            yield begin_ns, end_ns, max(0, after - before)


def _disk_rows(
    readings: Sequence[MachineReading], name: str, value: Callable[[DiskTotals], int]
) -> list[tuple[int, int]]:
    return [
        (row.monotonic_ns, value(disk))
        for row in readings
        for disk in row.disks
        if disk.name == name
    ]


def _add(
    series: BinnedValues, key: tuple[str, ...], rows: Sequence[tuple[int, int]], grid: TimeGrid
) -> None:
    """Add a counter; the bins add up to the increase within the grid."""
    amounts = [0.0] * grid.count
    for begin_ns, end_ns, amount in increases(rows):
        if not amount:
            continue
        first = max(0, (begin_ns - grid.begin_ns) // grid.bin_ns)
        last = min(grid.count - 1, (end_ns - 1 - grid.begin_ns) // grid.bin_ns)
        for number in range(first, last + 1):
            low = grid.begin_ns + number * grid.bin_ns
            overlap = min(end_ns, low + grid.bin_ns) - max(begin_ns, low)
            amounts[number] += amount * overlap / (end_ns - begin_ns)
    increase, written = 0.0, 0
    for number, part in enumerate(amounts):
        increase += part
        rounded = round(increase) - written  # the sum stays whole
        written += rounded
        if rounded:
            series.values.setdefault(key, {})[number] = rounded


_DISK_VALUES: dict[tuple[str, str], Callable[[DiskTotals], int]] = {
    ("time", "busy"): lambda disk: disk.busy_ms * _NS_PER_MS,
    ("count", "reads"): lambda disk: disk.reads,
    ("time", "read"): lambda disk: disk.read_ms * _NS_PER_MS,
    ("count", "writes"): lambda disk: disk.writes,
    ("time", "write"): lambda disk: disk.write_ms * _NS_PER_MS,
}
