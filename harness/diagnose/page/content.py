"""What the page of a diagnosis shows of a recording."""

from harness.diagnose.counters import recorded_slots
from harness.diagnose.diagnosis import RecordedParts
from harness.diagnose.page.flames import flame_graphs
from harness.diagnose.page.latency import probe_reads
from harness.diagnose.page.page import DiagnosePageContent
from harness.diagnose.readings.file import read_readings
from harness.diagnose.readings.reading import MachineReading
from harness.diagnose.result import DiagnoseResult
from harness.recordings.host_facts import host_facts
from harness.recordings.settings import recorded_facts
from harness.waits.binned import binned_values
from stallscope.errors import RecordingError
from stallscope.recordings import Recording


def content_of(
    recording: Recording, parts: RecordedParts, result: DiagnoseResult
) -> DiagnosePageContent:
    """Return the content of the page of a recording."""
    facts = {}
    if recording.manifest is not None:
        facts = host_facts(recording.manifest) | recorded_facts(recording.path)
    slots, _ = recorded_slots(recording.path)
    return DiagnosePageContent(
        result=result,
        waits=parts.waits,
        extent_ns=parts.analysis.extent_ns,
        binned=binned_values(parts.analysis, recording.path),
        flames=flame_graphs(recording, parts.on_cpu, parts.reading),
        slots=slots,
        measurements=parts.measurements,
        readings=_readings(recording),
        reads=probe_reads(recording.path),
        facts=facts,
        recording_name=recording.name,
    )


def _readings(recording: Recording) -> tuple[MachineReading, ...]:
    """Return the readings; none if they are damaged, of which the diagnosis warns."""
    try:
        readings = read_readings(recording.path)
    except RecordingError:
        return ()
    return () if readings is None else readings.rows
