"""The comparison of a diagnosis with an earlier recording: states of threads, and CPU time."""

from dataclasses import dataclass
from pathlib import Path

from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from harness.diagnose.cpu_functions import cpu_analysis
from harness.diff.build import Sides, compare_rows, diff_result
from harness.diff.options import Basis, DiffOptions
from harness.diff.panel import diff_panel, flame_rules
from harness.diff.session import flame_markup, machine_warnings, read_side
from harness.page.panels import Panel
from harness.profile.analysis import Analysis
from harness.recordings.kinds import WAITS
from stallscope.recordings import Recording, open_recording


@dataclass(frozen=True, slots=True)
class Comparison:
    """The panel, and the CSS of its graph."""

    panel: Panel
    rules: str


def compare_with(
    baseline: Path,
    recording: Recording,
    on_cpu: Analysis | None,
    places: SymbolPlaces = DEFAULT_PLACES,
) -> Comparison:
    """Return the differences from ``baseline`` to a recording.

    ``on_cpu``: profile of the recording. ``places``: of debug files of the baseline. Raises
    RecordingError if the baseline is none of waits, UsageError if it was recorded on another
    machine.
    """
    before = open_recording(baseline)
    options = DiffOptions(baseline, recording.path, basis=Basis.TIME)
    warnings = machine_warnings(before, recording, force=options.force)
    a, b = read_side(before, WAITS, ""), read_side(recording, WAITS, "")
    compared = compare_rows(a.rows, b.rows, options)
    result = diff_result(compared, Sides(a.side, b.side, WAITS, a.rows.noun, warnings), options)
    first = cpu_analysis(before, places=places)
    flame = None
    if first is not None and on_cpu is not None:
        flame = flame_markup(first.profile, on_cpu.profile)
    return Comparison(diff_panel(result, flame), "" if flame is None else flame_rules())
