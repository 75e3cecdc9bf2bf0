"""`stallscope export perf`: perf reads what is written."""

import shutil
from pathlib import Path

import pytest

from harness.export.perf.session import export_perf
from stallscope._native import read_capture
from stallscope.errors import RecordingError, UsageError
from tests.peers import run_peer

CAPTURE = Path("tests/captures/pipe.perf")


def recording_of(folder: Path, content: bytes) -> Path:
    folder.mkdir()
    (folder / "samples.perf").write_bytes(content)
    shutil.copy("tests/recordings/samples/recording.json", folder)
    return folder


def scripted(file: Path) -> str:
    if shutil.which("perf") is None:
        pytest.skip("needs the program perf")
    return str(
        run_peer(["perf", "script", "-i", file], check=True, capture_output=True, text=True).stdout
    )


def test_perf_reads_the_same_samples(tmp_path: Path) -> None:
    run = recording_of(tmp_path / "run", CAPTURE.read_bytes())
    export_perf(run, tmp_path / "perf.data")
    assert (tmp_path / "perf.data").read_bytes() == CAPTURE.read_bytes()
    assert scripted(tmp_path / "perf.data") == scripted(CAPTURE)


def test_a_cut_recording_is_written_up_to_its_last_whole_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = CAPTURE.read_bytes()[:-5]
    run = recording_of(tmp_path / "run", content)
    export_perf(run, tmp_path / "perf.data")
    assert "bytes are left out" in capsys.readouterr().err
    whole = read_capture(tmp_path / "perf.data", allow_truncated=False)
    cut = read_capture(run / "samples.perf", allow_truncated=True)
    assert whole.time_ns.tolist() == cut.time_ns.tolist()
    assert scripted(tmp_path / "perf.data")


def test_recordings_without_records_are_refused(tmp_path: Path) -> None:
    folded = tmp_path / "x.folded"
    folded.write_text("main;f 3\n")
    with pytest.raises(UsageError, match="no records of perf"):
        export_perf(folded, tmp_path / "out")
    with pytest.raises(UsageError, match="has no samples"):
        export_perf(Path("tests/recordings/load"), tmp_path / "out")
    with pytest.raises(RecordingError, match="at offset"):
        export_perf(recording_of(tmp_path / "bad", b"nonsense" * 9), tmp_path / "out")
    assert not (tmp_path / "out").exists()
