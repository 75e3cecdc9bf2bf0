"""The diagnosis of a recording, without its page and without a comparison."""

from dataclasses import dataclass
from pathlib import Path

from msgspec import structs

from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from harness.diagnose.build import diagnose_result
from harness.diagnose.cpu_functions import cpu_analysis, functions_of_analysis
from harness.diagnose.facts import Measurements
from harness.diagnose.pass_recorder import PassCost
from harness.diagnose.recorded import measurements_of
from harness.diagnose.result import DiagnoseResult
from harness.profile.analysis import Analysis
from harness.profile.capture_reading import CaptureReading, capture_reading
from harness.waits.analysis import WaitAnalysis, analyze_waits
from harness.waits.result import WaitsResult
from harness.waits.session import result_of_analysis
from stallscope.recordings import Recording


@dataclass(frozen=True, slots=True)
class RecordedParts:
    """The analyses of a recording; ``on_cpu`` is None without CPU samples."""

    analysis: WaitAnalysis
    waits: WaitsResult
    on_cpu: Analysis | None
    reading: CaptureReading
    measurements: Measurements


def diagnosis_of(recording: Recording) -> DiagnoseResult:
    """Return the diagnosis of a recording."""
    return diagnosed_parts(recording, None, None)[1]


def diagnosed_parts(
    recording: Recording,
    page: Path | None,
    cost: PassCost | None,
    places: SymbolPlaces = DEFAULT_PLACES,
) -> tuple[RecordedParts, DiagnoseResult]:
    """Return the analyses of a recording and the diagnosis; ``page``: where its page will be.

    ``cost``: of the recording, if it was just made. ``places``: of debug files.
    """
    reading = capture_reading(recording, places)
    analysis = analyze_waits(recording, reading=reading)
    waits = structs.replace(
        result_of_analysis(analysis, recording, with_page=False),
        report=None if page is None else str(page),
    )
    on_cpu = cpu_analysis(recording, reading)
    measurements = measurements_of(recording, analysis, functions_of_analysis(on_cpu))
    overhead = None if cost is None else overhead_share(waits, cost)
    result = diagnose_result(waits, None, overhead, measurements)
    return RecordedParts(analysis, waits, on_cpu, reading, measurements), result


def overhead_share(waits: WaitsResult, cost: PassCost) -> float | None:
    """Return the recorders' CPU time per CPU time of the target; None if the target did not run."""
    target_s = sum(thread.run_ns or 0 for thread in waits.threads) / 1e9
    if not target_s:
        return None
    return max(0.0, cost.cpu_s - (target_s if cost.with_command else 0.0)) / target_s
