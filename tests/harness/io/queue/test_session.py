"""Runs of `stallscope io queue`: wrong usage, an interval, recordings."""

import json
from pathlib import Path

import pytest

from harness.cli.command_line import main
from stallscope.errors import ExitCode
from stallscope.system_files import Roots
from tests.harness.io.queue.results import Machines


def arguments(roots: Roots, path: str, *options: str) -> list[str]:
    roots_options = ["--sysfs-root", str(roots.sys), "--proc-root", str(roots.proc)]
    return ["io", "queue", path, *roots_options, *options]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--interval", "1"), "counters of a recorded one do not change"),
        (("--interval", "0"), "not in the range"),
    ],
)
def test_invalid_options_are_refused(
    machine: Machines, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], message: str
) -> None:
    assert main(arguments(machine("nvme"), "/srv", *options)) == ExitCode.USAGE
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("path", ["/none/there", "/dev/null"])
def test_invalid_paths_are_refused(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["io", "queue", path]) == ExitCode.USAGE
    assert capsys.readouterr().err.count("\n") == 2


@pytest.mark.live
def test_an_interval_is_measured_on_this_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["io", "queue", str(tmp_path), "--interval", "0.2", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["interval_s"] >= 0.2
    assert (document["stalls"] is None) == bool(document["stalls_missing"])


def test_report_shows_a_recording_as_text_json_and_page(
    machine: Machines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    roots = machine("nvme")
    command = arguments(roots, "/srv/my data/x", "-o", str(folder))
    assert main(command) == 0
    text = capsys.readouterr().out
    assert main(command) == ExitCode.USAGE
    assert "already exists" in capsys.readouterr().err
    assert main([*command, "--force"]) == 0
    assert capsys.readouterr().out == text
    assert main(["report", str(folder)]) == 0
    assert capsys.readouterr().out == text
    assert main(["report", str(folder), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "stallscope.io.queue/1"
    page = (folder / "report.html").read_text()
    for words in ("From the path to its disk", "nr_requests", "requests on the device"):
        assert words in page
    assert document["recorded_at"] == str(roots.sys)
    machine_text = f"of the machine recorded in {document['recorded_at']}"
    assert machine_text in page
    assert machine_text in " ".join(text.split())
