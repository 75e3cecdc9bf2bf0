"""The timeline of the page: lanes with one scale of time, on which a period is selected."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from harness.diagnose.page.binned_counters import increases
from harness.diagnose.page.section import Section
from harness.diagnose.path_probe import ProbeRead
from harness.diagnose.readings.reading import MachineReading
from harness.page.document import fragment
from harness.profile.time_bins import TimeGrid
from harness.waits.binned import BinnedValues
from harness.waits.panel import STYLE, group_key
from harness.waits.result import WaitsResult
from harness.waits.text import shown_states, state_title
from harness.waits.verdict import working_groups
from stallscope.quantities import value_text
from topdown.stacks.profile import Profile

TIMELINE = "timeline"
WIDTH, HEIGHT = 1000, 40
_COLUMNS = 200
_TICKS = 4


@dataclass(frozen=True, slots=True)
class LaneBox:
    """A rectangle of a lane; ``look`` is its class."""

    x: float
    y: float
    width: float
    height: float
    look: str


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane: its name, the meaning of its full height, and its boxes."""

    name: str
    full: str
    boxes: tuple[LaneBox, ...]


@dataclass(frozen=True, slots=True)
class TimelineContent:
    """What the lanes show; a part that was not recorded is None or empty."""

    grid: TimeGrid
    waits: WaitsResult
    binned: BinnedValues | None
    on_cpu: Profile | None
    readings: Sequence[MachineReading] = ()
    reads: Sequence[ProbeRead] = ()

    @property
    def length_ns(self) -> int:
        """Return the length of the recording."""
        return self.grid.bin_ns * self.grid.count


def timeline_section(content: TimelineContent) -> Section:
    """Return the section with all lanes that have values."""
    lanes = [lane for lane in _lanes(content) if lane.boxes]
    states = shown_states(content.waits) if content.binned is not None else []
    markup = fragment(
        "harness.diagnose/page/timeline.html",
        lanes=lanes,
        width=WIDTH,
        height=HEIGHT,
        legend=[(state, state_title(state)) for state in states],
        step=value_text(content.grid.bin_ns, "ns"),
        ticks=[
            value_text(round(content.length_ns * number / _TICKS), "ns") if number else "0 s"
            for number in range(_TICKS + 1)
        ],
        bins=content.grid.count,
    )
    return Section(TIMELINE, "Timeline", markup, (STYLE,))


def _lanes(content: TimelineContent) -> Iterator[Lane]:
    if content.binned is not None:
        yield Lane("Threads by state", "all wall time", tuple(_state_boxes(content)))
    if content.on_cpu is not None and content.on_cpu.times is not None:
        yield _sample_lane(content, content.on_cpu)
    yield Lane("CPUs busy", "all CPUs", tuple(_busy_cpus(content)))
    name = _busiest_disk(content.readings)
    if name:
        yield Lane(f"Disk {name} busy", "all the time", tuple(_busy_disk(content, name)))
    if content.reads:
        yield _read_lane(content)


def _state_boxes(content: TimelineContent) -> Iterator[LaneBox]:
    """Yield the shares of the states of working threads, stacked, by bin."""
    binned = content.binned
    assert binned is not None
    groups = [group_key(group) for group in working_groups(content.waits)]
    states = shown_states(content.waits)
    width = WIDTH / content.grid.count
    for number in range(content.grid.count):
        amounts = {
            state: sum(
                binned.values.get(("time", *key, state), {}).get(number, 0) for key in groups
            )
            for state in states
        }
        whole, base = sum(amounts.values()), float(HEIGHT)
        for state, amount in amounts.items():
            if amount:
                height = HEIGHT * amount / whole
                base -= height
                yield LaneBox(number * width, base, width, height, f"wait-{state}")


def _sample_lane(content: TimelineContent, profile: Profile) -> Lane:
    times = profile.times
    assert times is not None
    since = times.time_ns + (times.begin_ns - content.grid.begin_ns)
    edges = np.linspace(0, content.length_ns, _COLUMNS + 1)
    sums, _ = np.histogram(np.clip(since, 0, content.length_ns - 1), edges, weights=times.value)
    most = float(sums.max(initial=0.0)) or 1.0
    width = WIDTH / _COLUMNS
    boxes = (
        LaneBox(number * width, HEIGHT * (1 - value / most), width, HEIGHT * value / most, "lane-0")
        for number, value in enumerate(sums.tolist())
        if value
    )
    cpus = most / (content.length_ns / _COLUMNS)
    full = f"{cpus:.1f} CPUs" if profile.source.unit == "ns" else "most"
    return Lane("CPU samples", full, tuple(boxes))


def _busy_cpus(content: TimelineContent) -> Iterator[LaneBox]:
    rows = [row for row in content.readings if row.cpu is not None]
    for first, last in pairwise(rows):
        assert first.cpu is not None
        assert last.cpu is not None
        whole = last.cpu.all - first.cpu.all
        idle = last.cpu.idle + last.cpu.iowait - first.cpu.idle - first.cpu.iowait
        if whole > 0:
            share = 1 - max(0, idle) / whole
            yield from _box(content, first.monotonic_ns, last.monotonic_ns, share, "lane-1")


def _busiest_disk(readings: Sequence[MachineReading]) -> str:
    if len(readings) < 2:
        return ""
    before = {disk.name: disk.busy_ms for disk in readings[0].disks}
    busy = {
        disk.name: disk.busy_ms - before[disk.name]
        for disk in readings[-1].disks
        if disk.name in before
    }
    name = max(busy, key=lambda name: busy[name], default="")
    return name if name and busy[name] > 0 else ""


def _busy_disk(content: TimelineContent, name: str) -> Iterator[LaneBox]:
    rows = [
        (row.monotonic_ns, disk.busy_ms)
        for row in content.readings
        for disk in row.disks
        if disk.name == name
    ]
    for begin_ns, end_ns, busy_ms in increases(rows):
        share = busy_ms * 1e6 / (end_ns - begin_ns)
        yield from _box(content, begin_ns, end_ns, share, "lane-2")


def _read_lane(content: TimelineContent) -> Lane:
    most = max(read.latency_ns for read in content.reads)
    boxes: list[LaneBox] = []
    for read in content.reads:
        end_ns = read.begin_ns + max(read.latency_ns, content.length_ns // _COLUMNS)
        share = read.latency_ns / most
        boxes += _box(content, read.begin_ns, end_ns, share, "lane-3")
    return Lane("Read of --path", value_text(most, "ns"), tuple(boxes))


def _box(
    content: TimelineContent, begin_ns: int, end_ns: int, share: float, look: str
) -> Iterator[LaneBox]:
    """Yield a box from the bottom of the lane; none outside of the recording."""
    scale = WIDTH / content.length_ns
    left = max(0.0, (begin_ns - content.grid.begin_ns) * scale)
    right = min(float(WIDTH), (end_ns - content.grid.begin_ns) * scale)
    height = HEIGHT * min(1.0, max(0.0, share))
    if right > left and height > 0:
        yield LaneBox(left, HEIGHT - height, right - left, height, look)
