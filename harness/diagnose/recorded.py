"""What a recording contains beside the waits."""

from harness.diagnose.counters import recorded_slots
from harness.diagnose.cpu_functions import CpuFunctions
from harness.diagnose.disk_waits import disk_waits
from harness.diagnose.facts import Measurements
from harness.diagnose.path_probe import recorded_probe
from harness.diagnose.readings.activity import machine_activity
from harness.diagnose.readings.file import read_readings
from harness.diagnose.slots import SlotFacts
from harness.diagnose.spins import recorded_spins
from harness.waits.analysis import WaitAnalysis
from stallscope.errors import RecordingError
from stallscope.recordings import Recording


def measurements_of(
    recording: Recording, analysis: WaitAnalysis, cpu: CpuFunctions | None
) -> Measurements:
    """Return the measurements of a recording; a damaged part is a warning."""
    warnings = []
    slots, missing = recorded_slots(recording.path)
    readings = probe = None
    try:
        readings = read_readings(recording.path)
        probe = recorded_probe(recording.path)
    except RecordingError as error:
        warnings.append(error.message)
    end_ns = recording.manifest.end_ns if recording.manifest is not None else None
    if not missing and readings is not None:
        missing = readings.header.counters_missing or ""
    return Measurements(
        cpu=cpu,
        slots=SlotFacts.of(slots),
        machine=machine_activity(readings, end_ns),
        disk=disk_waits(analysis),
        probe=probe,
        spins=recorded_spins(recording, analysis),
        slots_missing=missing,
        warnings=tuple(warnings),
    )
