"""The analysis of a recording of waits: records, names, categories and totals."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from harness.profile.capture_reading import CaptureReading, capture_reading
from harness.profile.truncated_capture import truncation_warning
from stallscope.errors import RecordingError
from stallscope.recordings import Recording
from topdown.waits.capture_stacks import code_before_calls, stack_names
from topdown.waits.groups import ThreadGroup, thread_groups
from topdown.waits.read_calls import with_read_calls
from topdown.waits.records import NO_ROW, NO_STACK, WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.syscall_sites import Numbers, call_numbers
from topdown.waits.thread_states import ThreadTotals, thread_totals
from topdown.waits.wait_kinds import WaitKinds, classify_waits

if TYPE_CHECKING:
    from stallscope._native import Capture

SOURCE_NOTICE = "waits-without-"


@dataclass(frozen=True, slots=True)
class WaitAnalysis:
    """A recording of waits, or a period of it. ``calls``: number of each switch sample's call.

    In a period, ``continues`` (n_intervals,) are intervals that end after it, and ``idle``
    (n_threads,) the threads that are idle in the whole recording.
    """

    title: str
    records: WaitRecords
    names: StackNames
    calls: Numbers
    kinds: WaitKinds
    totals: ThreadTotals
    groups: tuple[ThreadGroup, ...]
    warnings: tuple[str, ...]
    period_ns: tuple[int, int] | None = None
    continues: npt.NDArray[np.bool_] | None = None
    idle: npt.NDArray[np.bool_] | None = None

    @property
    def extent_ns(self) -> tuple[int, int]:
        """Return the begin and the end of what is analyzed."""
        return self.period_ns or (self.records.begin_ns, self.records.end_ns)


def analyze_waits(
    recording: Recording,
    places: SymbolPlaces = DEFAULT_PLACES,
    reading: CaptureReading | None = None,
) -> WaitAnalysis:
    """Return the analysis of a recording.

    ``places``: of debug files. ``reading``: the capture, if it was read before.
    Raises RecordingError if it has no records of switches, or is unreadable.
    """
    if reading is None or reading.managed is not None:
        reading = capture_reading(recording, places, with_managed=False)
    capture, symbolizer, sources = reading.capture, reading.symbolizer, reading.symbolizer.sources
    cut = truncation_warning(capture, recording)
    records, log = reading.waits.records, reading.waits.log
    if log is None and not len(capture.switch_time_ns):
        raise RecordingError(
            f"{recording.path} has no records of context switches",
            "record them with: stallscope waits -p PID",
        )
    manifest = recording.manifest
    names, name_warnings = stack_names(capture, symbolizer)
    samples = records.switch_samples
    with_registers = samples.register_row != NO_ROW
    stacks = np.unique(samples.stack[with_registers & (samples.stack != NO_STACK)])
    code = code_before_calls(capture, stacks, sources)
    calls = call_numbers(samples, code.get, architecture=capture.architecture)
    calls = with_read_calls(records, calls, architecture=capture.architecture)
    kinds = classify_waits(
        records, reading.waits.intervals, names, calls, architecture=capture.architecture
    )
    totals = thread_totals(
        records,
        kinds,
        names,
        kernel_sampled=_kernel_sampled(capture),
        architecture=capture.architecture,
    )
    lived = np.flatnonzero(totals.wall_ns > 0).tolist()
    return WaitAnalysis(
        title=recording.name if manifest is None else manifest.target.describe(),
        records=records,
        names=names,
        calls=calls,
        kinds=kinds,
        totals=totals,
        groups=tuple(thread_groups(records.threads, lived)),
        warnings=(
            # Missing sources are listed with their reasons, once per reason.
            *(
                notice.message
                for notice in (manifest.notices if manifest else ())
                if not notice.code.startswith(SOURCE_NOTICE)
            ),
            *(warning.message for warning in (log.warnings if log else ())),
            *_warnings(records, kernel_sampled=totals.kernel_sampled),
            *(warning.message for warning in (*reading.warnings, *name_warnings, *cut)),
        ),
    )


def _kernel_sampled(capture: "Capture") -> bool:
    """Return whether samples of CPU time include kernel code."""
    return any(
        not attribute.exclude_kernel and attribute.name != "context-switches"
        for attribute in capture.attributes[:1]
    )


def _warnings(records: WaitRecords, *, kernel_sampled: bool) -> list[str]:
    warnings = []
    lost = sum(row.records for row in records.lost)
    if lost:
        warnings.append(
            f"{lost:,} records were lost; until the next record of a thread its state is unknown"
        )
    if not kernel_sampled:
        warnings.append("kernel code was not sampled, so system time is included in user")
    if records.limited_from_ns is not None:
        windows = records.windows.astype(np.int64)
        covered = int((windows[:, 1] - windows[:, 0]).sum())
        share = covered / max(1, records.end_ns - records.limited_from_ns)
        begin_s = (records.limited_from_ns - records.begin_ns) / 1e9
        warnings.append(
            f"from {begin_s:.1f} s on, locks and causes are those of random windows, "
            f"{share:.0%} of the time, scaled to all time; the timeline shows the windows"
        )
    if records.wake_ups is None:
        warnings.append(
            "wake-ups were not recorded; time in the run queue after a wait is that of schedstat"
        )
    return warnings
