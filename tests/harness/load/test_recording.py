"""The recording of a load, its report, and damaged recordings."""

import base64
import json
import struct
import zlib
from pathlib import Path

import pytest

from cstates.fingerprint import Fingerprint, FrequencySetting, StateUse
from harness.cli.command_line import main
from harness.load.recording import KIND, make_directory, read_load, write_manifest
from harness.recordings.directory import is_recording_of
from harness.workload.options import LoadOptions
from harness.workload.results import LoadResult
from stallscope.documents import decode
from stallscope.errors import ExitCode, UnableError, UsageError
from stallscope.recordings import open_recording
from tests.harness.workload.fake_programs import LOADED


def line(start_s: int, index: int, count: int) -> str:
    """An interval of a log with ``count`` values in a single bucket."""
    payload = bytes([2 * index - 1]) + bytes([2 * count]) if index else bytes([2 * count])
    plain = struct.pack(">iiiiqqd", 0x1C849313, len(payload), 0, 3, 1, 10**9, 1.0) + payload
    deflated = zlib.compress(plain)
    packed = struct.pack(">iI", 0x1C849314, len(deflated)) + deflated
    return f"{start_s}.0,1.0,9.9,{base64.b64encode(packed).decode()}\n"


def loaded() -> LoadResult:
    return decode(json.dumps(LOADED), LoadResult, "test")


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    make_directory(folder, force=False)
    for name in ("intended", "service", "lag"):
        (folder / f"{name}.hlog").write_text("#[comment]\n" + line(0, 40, 10) + line(1, 50, 20))
    (folder / "load.json").write_text(json.dumps(LOADED))
    result = loaded()
    write_manifest(LoadOptions("127.0.0.1:7379", folder), 1, result)
    return folder


def test_a_recording_is_read(recorded: Path) -> None:
    recording = read_load(recorded)
    whole = recording.logs["latency"].merged()
    assert whole is not None
    assert (whole.total, whole.percentile(50), whole.largest()) == (30, 50, 50)
    assert is_recording_of(KIND, recorded)
    manifest = open_recording(recorded).manifest
    assert manifest is not None
    assert manifest.complete
    assert manifest.notices[0].message == "the loader shared its core"


def test_report_writes_the_page_and_prints_the_document(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(recorded), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "stallscope.load/1"
    assert document["latency_us"]["p99.9"] == 1500.0
    assert "event" not in document
    page = (recorded / "report.html").read_text()
    assert "Load on 127.0.0.1:7379" in page
    assert (
        page.count('<polyline class="plot-line') == 7
    )  # three curves, their p99 over time, and a rate
    assert main(["report", str(recorded), "--no-page"]) == 0
    printed = capsys.readouterr().out
    assert "closed loop against 127.0.0.1:7379: 64 connections, pipeline 1" in printed
    assert "service, from sending" in printed
    assert "the loader shared its core" in printed


SETTINGS = Fingerprint(
    cpus=4,
    idle_governor="menu",
    idle_missing=None,
    latency_limit_us=None,
    latency_limit_missing=None,
    states=(StateUse("C1", 2, 4, 4, 90), StateUse("C6", 170, 4, 3, None)),
    frequencies=(FrequencySetting("<script>", 800000, 3500000, None, None),),
    frequency_missing=None,
    turbo_allowed=False,
    warnings=("frequency not fixed", "C6 open (170 us)"),
)


def test_machine_settings_are_recorded_and_printed(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = LoadOptions("127.0.0.1:7379", recorded)
    assert read_load(recorded).settings is None  # in a recording of an early version
    write_manifest(options, 1, loaded(), SETTINGS)
    assert read_load(recorded).settings == SETTINGS
    assert main(["report", str(recorded)]) == 0
    printed = capsys.readouterr().out
    assert "C1 90 entries, C6 entries unknown, closed on 1 of 4 CPUs; governor menu" in printed
    assert "<script>, 800000 to 3500000 kHz; no turbo" in printed
    assert "less repeatable: frequency not fixed, C6 open (170 us)" in printed
    page = (recorded / "report.html").read_text()
    assert "frequency not fixed, C6 open (170 us)" in page
    assert "<script>, 8" not in page
    assert main(["report", str(recorded), "--json", "--no-page"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["states"][0]["entries"] == 90


def test_damaged_settings_are_a_single_error(recorded: Path) -> None:
    manifest = recorded / "recording.json"
    document = json.loads(manifest.read_text()) | {"settings": {"cpus": -1}}
    manifest.write_text(json.dumps(document))
    assert main(["report", str(recorded)]) == ExitCode.UNREADABLE


def test_a_hostile_target_name_is_escaped(recorded: Path) -> None:
    options = LoadOptions("<script>alert(1)</script>", recorded)
    write_manifest(options, 1, loaded())
    assert main(["report", str(recorded)]) == 0
    assert "<script>alert" not in (recorded / "report.html").read_text()


def test_a_load_without_a_result_is_reported(recorded: Path) -> None:
    (recorded / "load.json").unlink()
    with pytest.raises(UnableError, match="ended before"):
        read_load(recorded)


def test_an_empty_log_is_not_zero(recorded: Path) -> None:
    for log in recorded.glob("*.hlog"):
        log.write_text("")
    assert main(["report", str(recorded)]) == 0
    page = (recorded / "report.html").read_text()
    assert "n/a" in page
    assert "<polyline" not in page


def test_a_damaged_log_is_a_single_error(recorded: Path) -> None:
    (recorded / "lag.hlog").write_text("0,1,1,AAAA\n")
    assert main(["report", str(recorded)]) == ExitCode.UNREADABLE


def test_only_the_recording_of_a_load_is_replaced(tmp_path: Path, recorded: Path) -> None:
    with pytest.raises(UsageError, match="already exists"):
        make_directory(recorded, force=False)
    make_directory(recorded, force=True)
    with pytest.raises(UsageError, match="not a recording of a load"):
        make_directory(tmp_path, force=True)
