"""Wall time and off-CPU time as weights of a capture's samples, for folding."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from stallscope.errors import UsageError
from topdown.stacks.captures.events import select_event
from topdown.stacks.folding.named_chains import NamedChains
from topdown.stacks.folding.sample_weights import SampleWeights
from topdown.stacks.profile import SampleSource
from topdown.stacks.profile_warning import ProfileWarning
from topdown.waits.blocking_chains import without_scheduler
from topdown.waits.off_cpu_weights import off_cpu_weights
from topdown.waits.read_records import cpu_sample_rows, switch_sample_rows
from topdown.waits.records import NO_THREAD, Indices, WaitRecords
from topdown.waits.states import Intervals
from topdown.waits.wall_weights import wall_weights
from topdown.waits.weight import OFF_CPU_TIME, WALL_TIME, Weight

if TYPE_CHECKING:
    from stallscope._native import Capture

LEAST_SCALE, MOST_SCALE = 0.8, 1.25  # beyond these, samples or switches are missing


@dataclass(frozen=True, slots=True)
class _Parts:
    """Weights by kind of sample; ``other``: of threads of the records without a stack."""

    cpu: npt.NDArray[np.int64] | None
    switch: npt.NDArray[np.int64]
    other_thread: Indices
    other_ns: npt.NDArray[np.int64]


def sample_weights(
    capture: "Capture",
    records: WaitRecords,
    intervals: Intervals,
    weight: Weight,
    *,
    left_out: npt.NDArray[np.bool_] | None = None,
) -> SampleWeights:
    """Return the weights of a capture's samples; ``records`` are those of the capture.

    ``left_out`` (n_threads,): threads whose off-CPU time does not count.

    Raises UsageError if the capture has no context switches.
    """
    if not len(records.switches.time_ns):
        raise UsageError(
            f"the recording has no context switches, which --weight {weight} needs",
            "record with: stallscope profile --weight wall, or: perf record --switch-events",
        )
    source, warnings = _source(capture, weight), tuple[ProfileWarning, ...]()
    if weight == Weight.WALL:
        wall = wall_weights(records, intervals)
        parts = _Parts(wall.cpu, wall.switch, wall.other_thread, wall.other_ns)
        warnings = _scale_warning(wall.scale) if _counts_time(capture) else ()
    else:
        off = off_cpu_weights(records, intervals, left_out)
        parts = _Parts(None, off.switch, off.other_thread, off.other_ns)
    if not len(records.switch_samples.time_ns):
        message = "Stacks of context switches were not recorded: waits are shown without stacks."
        warnings = (*warnings, ProfileWarning("no-switch-stacks", message))
    return _on_capture(capture, records, parts, source, warnings)


def _on_capture(
    capture: "Capture",
    records: WaitRecords,
    parts: _Parts,
    source: SampleSource,
    warnings: tuple[ProfileWarning, ...],
) -> SampleWeights:
    """Return the weights by rows and threads of the capture."""
    rows, values = switch_sample_rows(capture), parts.switch
    rows, values = rows[values > 0], values[values > 0]
    if parts.cpu is not None:
        rows, values = np.append(rows, cpu_sample_rows(capture)), np.append(values, parts.cpu)
    order = np.argsort(rows, kind="stable")
    has_thread = parts.other_thread != NO_THREAD
    return SampleWeights(
        rows[order],
        values[order],
        source,
        _capture_threads(capture, records, parts.other_thread[has_thread]),
        parts.other_ns[has_thread],
        (records.end_ns - records.begin_ns) / 1e9,
        _without_scheduler,
        warnings,
    )


def _without_scheduler(capture: "Capture", chains: NamedChains) -> NamedChains:
    return without_scheduler(chains, np.isin(chains.rows, switch_sample_rows(capture)))


def _capture_threads(
    capture: "Capture", records: WaitRecords, threads: Indices
) -> npt.NDArray[np.uint32]:
    """Return the capture's threads of the records' threads, which may be several lives of one."""
    numbers = {(thread.pid, thread.tid): row for row, thread in enumerate(capture.threads)}
    members = (records.threads[thread] for thread in threads.tolist())
    return np.array([numbers[member.pid, member.tid] for member in members], np.uint32)


def _counts_time(capture: "Capture") -> bool:
    """Return whether the periods of the CPU samples are nanoseconds; else the scale is a rate."""
    rows = cpu_sample_rows(capture)
    return (
        bool(len(rows)) and select_event(capture, int(capture.event[rows[0]])).source.unit == "ns"
    )


def _source(capture: "Capture", weight: Weight) -> SampleSource:
    """Return the source of the weights: the CPU event's rate, with the unit of the weight."""
    source = select_event(capture, None).source
    rows = cpu_sample_rows(capture)
    if len(rows):
        source = select_event(capture, int(capture.event[rows[0]])).source
    name = WALL_TIME if weight == Weight.WALL else OFF_CPU_TIME
    if weight == Weight.OFF_CPU:
        source = replace(source, frequency_hz=None, period=None)
    return replace(source, event=name, unit="ns", kind="measured")


def _scale_warning(scale: float) -> tuple[ProfileWarning, ...]:
    if math.isnan(scale) or LEAST_SCALE <= scale <= MOST_SCALE:
        return ()
    message = (
        f"CPU samples were scaled by {scale:.2f} to the time in which threads ran according to "
        "context switches: samples or switches are missing."
    )
    return (ProfileWarning("wall-scale", message),)
