"""Runs of `stallscope io probe` on a simulated disk: recordings and wrong usage."""

import json
from pathlib import Path

import pytest

from harness.cli.command_line import main
from stallscope.errors import ExitCode
from stallscope.histograms import read_interval_log
from tests.harness.io.probe.results import DISK, probe_document


def test_report_shows_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    disk = "sim:servers=1,service=4ms"
    document = probe_document(capsys, disk, "--count", "500", "-o", str(folder))
    assert document["recording"] == str(folder)
    histogram = read_interval_log(folder / "direct.hlog").merged()
    assert histogram is not None
    assert histogram.total == 500
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert 'id="probe"' in page
    assert "modelled" in page
    assert page.count("<svg") == 2 + 1
    assert "://" not in page
    assert main(["report", str(folder), "--no-page"]) == 0
    text = capsys.readouterr().out
    assert "4 KiB random reads, one at a time, modelled" in text
    assert "Requests needed: p99.9 1,000, p99.99 10,000" in text
    assert main(["report", str(folder), "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert reported["requests"] == 500
    # A simulated disk does not depend on the machine's settings.
    assert reported["settings"] is None
    assert document["settings"] is None
    assert json.loads((folder / "recording.json").read_text())["settings"] is None

    assert main(["io", "probe", DISK, "--count", "9", "-o", str(folder)]) == ExitCode.USAGE
    assert "already exists" in capsys.readouterr().err
    replaced = probe_document(capsys, DISK, "--count", "9", "-o", str(folder), "--force")
    assert replaced["requests"] == 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--block", "x"), "--block: 'x' is not a size"),
        (("--cached", "--read-path", "direct"), "exclude each other"),
        (("--force",), "add -o DIR"),
    ],
)
def test_invalid_options_are_refused(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], message: str
) -> None:
    assert main(["io", "probe", DISK, *options]) == ExitCode.USAGE
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("path", ["/none/there", "sim:servers=0,service=1ms", "/dev/null"])
def test_invalid_paths_are_refused(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["io", "probe", path]) == ExitCode.USAGE
    assert capsys.readouterr().err.count("\n") == 2
