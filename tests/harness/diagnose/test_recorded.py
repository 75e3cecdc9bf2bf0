import shutil
from pathlib import Path

from harness.diagnose.readings.file import FILE, ReadingsWriter
from harness.diagnose.recorded import measurements_of
from harness.waits.analysis import analyze_waits
from stallscope.recordings import Recording, open_recording
from tests.harness.diagnose.machines import header, reading

CAPTURE = Path("tests/captures/switches.perf")


def recording(folder: Path) -> Recording:
    shutil.copy(CAPTURE, folder / "samples.perf")
    return Recording(folder, folder / "samples.perf", None)


def test_a_recording_without_other_parts_has_waits_only() -> None:
    capture = open_recording(CAPTURE)
    result = measurements_of(capture, analyze_waits(capture), None)
    assert result.machine is None
    assert result.slots is None
    assert result.warnings == ()


def test_the_reason_for_missing_counters_comes_from_the_recording(tmp_path: Path) -> None:
    run = recording(tmp_path)
    writer = ReadingsWriter(tmp_path, header(counters_missing="no PMU"))
    writer.add(reading(0))
    writer.add(reading(10))
    writer.close()
    result = measurements_of(run, analyze_waits(run), None)
    assert result.slots_missing == "no PMU"
    assert result.machine is not None
    assert result.machine.seconds == 10


def test_a_damaged_part_is_a_warning(tmp_path: Path) -> None:
    run = recording(tmp_path)
    (tmp_path / FILE).write_text("{}\n{}\n")
    result = measurements_of(run, analyze_waits(run), None)
    assert result.machine is None
    assert any(FILE in text for text in result.warnings)
