"""`stallscope bench run`: recording, report, JSON, interruption, errors."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.bench.run.measurement import CommandRunner
from harness.cli.command_line import main
from stallscope.errors import ExitCode
from tests.documents import assert_valid


def test_a_run_writes_a_recording_that_the_report_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    # On a loaded machine even `true` takes longer than the default limit.
    monkeypatch.setattr("harness.bench.run.conditions.SHORT_NS", 60e9)
    status = main(["bench", "run", "-n", "3", "--seed", "5", "-o", str(folder), "--", "true"])
    shown = capsys.readouterr().out
    assert status == ExitCode.DONE
    assert "medians of 3 rounds in random order (measured), seed 5" in shown
    assert "warning: True: too short" in shown
    lines = (folder / "bench.txt").read_text().splitlines()
    results = [line.split() for line in lines if line.startswith("BenchmarkTrue\t1\t")]
    assert len(results) == 3
    assert results[0][3::2] == [
        "ns/op",
        "user-ns/op",
        "sys-ns/op",
        "maxrss-B",
        "minor-faults",
        "major-faults",
        "voluntary-switches",
        "involuntary-switches",
    ]
    manifest = (folder / "recording.json").read_text()
    assert json.loads(manifest)["complete"]
    assert_valid("recording.bench", manifest)
    assert "<h2" in (folder / "report.html").read_text()
    assert main(["report", str(folder), "--json"]) == ExitCode.DONE
    printed = capsys.readouterr().out
    assert json.loads(printed)["commands"][0]["wall_ns"]["n"] == 3
    assert_valid("bench.run", printed)


def test_a_failing_command_leaves_no_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    assert main(["bench", "run", "-o", str(folder), "--", "false"]) == ExitCode.TARGET_FAILED
    assert "False failed with exit status 1" in capsys.readouterr().err
    assert not folder.exists()


def test_ctrl_c_keeps_what_was_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = iter(range(100))
    run = CommandRunner.run

    def run_or_interrupt(self: CommandRunner, index: int, **settings: int) -> object:
        if next(runs) == 4:
            raise KeyboardInterrupt
        return run(self, index, **settings)

    monkeypatch.setattr(CommandRunner, "run", run_or_interrupt)
    folder = tmp_path / "out"
    assert main(["bench", "run", "-n", "9", "-o", str(folder), "--", "true"]) == 130
    assert "interrupted" in capsys.readouterr().out
    document = json.loads((folder / "bench.json").read_text())
    assert len(document["runs"]) == 3
    assert not document["complete"]


def test_a_bench_file_names_commands_and_one_can_be_selected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bench.toml"
    file.write_text('runs = 2\n[commands.a]\nrun = "true"\n[commands.b]\nrun = "false"\n')
    arguments = ["bench", "run", "--json", "--file", str(file), "-o", str(tmp_path / "out")]
    assert main([*arguments, "--only", "Aa"]) == ExitCode.USAGE
    assert main([*arguments, "--only", "A"]) == ExitCode.DONE
    document = json.loads(capsys.readouterr().out)
    assert [command["name"] for command in document["commands"]] == ["A"]
    assert document["rounds"] == 2


@pytest.mark.parametrize(
    "arguments",
    [[], ["--only", "A", "--", "true"], ["--command", "", "--", "true"]],
)
def test_a_wrong_command_line_is_a_usage_error(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "run", *arguments]) == ExitCode.USAGE
    assert "remedy" in capsys.readouterr().err


def test_a_signal_ends_the_measurement_and_the_command(tmp_path: Path) -> None:
    marker = tmp_path / "started"
    process = subprocess.Popen(
        [
            sys.executable, "-m", "stallscope", "bench", "run", "--warmup", "0", "-o", "out",
            "--", "/bin/sh", "-c", "echo $$ > started; exec sleep 98.2",
        ],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])},
    )  # fmt: skip
    try:
        while not (marker.exists() and marker.read_text().endswith("\n")):
            assert process.poll() is None
        pid = int(marker.read_text())
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) != 0
        assert not Path(f"/proc/{pid}").exists()
    finally:
        process.kill()
