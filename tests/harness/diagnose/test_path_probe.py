import os
from pathlib import Path

import pytest

from harness.diagnose.path_probe import (
    FILE,
    PathProbeRecorder,
    ProbeHeader,
    ProbeRead,
    recorded_probe,
)
from stallscope.documents import encode
from stallscope.errors import RecordingError


def write(folder: Path, *rows: object) -> None:
    (folder / FILE).write_text("".join(encode(row) + "\n" for row in rows))


def read(latency_us: int, in_flight: int | None) -> ProbeRead:
    return ProbeRead(begin_ns=1, latency_ns=1000 * latency_us, in_flight=in_flight)


HEADER = ProbeHeader(path="/srv", disk="vda", file="table")


def test_reads_without_other_requests_have_their_own_median(tmp_path: Path) -> None:
    write(tmp_path, HEADER, *[read(100, 0)] * 6, *[read(900, 40)] * 10, read(50, None))
    probe = recorded_probe(tmp_path)
    assert probe is not None
    assert (probe.reads, probe.idle_reads) == (17, 6)
    assert (probe.p50_us, probe.idle_p50_us) == (900, 100)


def test_few_reads_have_no_median(tmp_path: Path) -> None:
    write(tmp_path, HEADER, *[read(100, 0)] * 4)
    probe = recorded_probe(tmp_path)
    assert probe is not None
    assert probe.p50_us is None
    assert recorded_probe(tmp_path / "missing") is None


def test_a_damaged_file_is_an_error_and_a_cut_line_is_not(tmp_path: Path) -> None:
    write(tmp_path, HEADER, *[read(100, 0)] * 5)
    path = tmp_path / FILE
    path.write_text(path.read_text() + '{"begin_ns"')
    assert recorded_probe(tmp_path) is not None
    path.write_text(path.read_text() + "\n")
    with pytest.raises(RecordingError):
        recorded_probe(tmp_path)


def test_an_existing_file_is_read_and_nothing_is_written_to_the_directory(tmp_path: Path) -> None:
    data, recording = tmp_path / "data", tmp_path / "run"
    (data / "inner").mkdir(parents=True)
    recording.mkdir()
    (data / "small").write_bytes(b"x")
    (data / "link").symlink_to("/etc/passwd")
    (data / "inner" / "table").write_bytes(b"x" * 65536)
    os.sync()
    before = sorted(data.rglob("*"))
    recorder = PathProbeRecorder(recording, data, None)
    recorder.start(())
    recorder.stop()
    assert recorder.failure == ""
    probe = recorded_probe(recording)
    assert probe is not None
    assert probe.file == "table"
    assert probe.reads >= 1 or probe.missing is not None  # some file systems refuse O_DIRECT
    assert sorted(data.rglob("*")) == before


def test_a_directory_without_a_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    recorder = PathProbeRecorder(tmp_path, tmp_path / "data", "vda")
    recorder.start(())
    recorder.stop()
    probe = recorded_probe(tmp_path)
    assert probe is not None
    assert probe.missing is not None
    assert "no file" in probe.missing
