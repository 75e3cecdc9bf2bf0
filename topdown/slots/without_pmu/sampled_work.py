"""CPU time by samples of a clock, without a PMU."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stallscope._native import Capture, CaptureError, read_capture
from stallscope.errors import RecordingError
from stallscope.recordings import Recording
from topdown.slots.without_pmu.kernel_samples import KERNEL_FRAME, KernelSamples, kernel_samples
from topdown.slots.without_pmu.sampled_instructions import (
    SampledInstructions,
    sampled_instructions,
)
from topdown.stacks.captures.events import select_event
from topdown.stacks.symbols.sources import SymbolSources, default_cache_directory


@dataclass(frozen=True, slots=True)
class SampledWork:
    """Samples of a clock. ``kernel`` is None if kernel code was not sampled."""

    samples: int
    lost: int
    event: str
    user: SampledInstructions
    kernel: KernelSamples | None


def read_sampled_work(recording: Recording, proc: Path = Path("/proc")) -> SampledWork:
    """Return the samples of a recording. Raises RecordingError if it cannot be read."""
    manifest = recording.manifest
    try:
        capture = read_capture(
            recording.samples, allow_truncated=manifest is not None and not manifest.complete
        )
    except CaptureError as error:
        raise RecordingError(
            f"{recording.samples}: at offset {error.args[1]}: {error.args[0]}", "record again"
        ) from error
    sources = SymbolSources(
        recording=recording.path,
        boot_id=manifest.boot_id if manifest is not None else None,
        recorded_ns=None,
        proc=proc,
        cache_directory=default_cache_directory(),
    )
    return sampled_work(capture, sources)


def sampled_work(capture: Capture, sources: SymbolSources) -> SampledWork:
    """Return the samples of a capture's first event, by executed code."""
    event = select_event(capture, None)
    stacks = capture.stack[event.rows]
    starts = capture.stack_offset[stacks]
    has_frames = starts < capture.stack_offset[stacks + 1]
    stacks, leaves = stacks[has_frames], capture.stack_frame[starts[has_frames]]
    in_kernel = capture.frame_kind[leaves] == KERNEL_FRAME
    kernel = None
    if event.source.scope != "user":
        kernel = kernel_samples(capture, stacks[in_kernel], sources)
    return SampledWork(
        samples=len(stacks),
        lost=max(capture.lost_records, capture.lost_samples),
        event=event.source.event,
        user=sampled_instructions(capture, leaves[~in_kernel].astype(np.uint32), sources),
        kernel=kernel,
    )
