"""Runs of `stallscope io curve` on simulated disks, whose results are exact."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import ioprobe.engine.runner
from harness.cli.command_line import main
from ioprobe.engine.engine import EngineEnd, EngineEvent, PointResult
from stallscope.errors import ExitCode

DISK = "sim:servers=6,service=1ms"
SHORT = ["--repeats", "1", "--duration", "0.1", "--warmup", "0"]
EXACT = ["--repeats", "1", "--duration", "1", "--warmup", "0.1"]


def printed_document(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_a_curve_finds_the_number_of_servers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["io", "curve", DISK, *EXACT, "--slo-p99", "2ms", "--json"]) == ExitCode.DONE
    document = printed_document(capsys)
    assert document["recommended"] == {"latency_optimal": 6, "knee": 6, "slo": 12}
    assert (document["verdict"], document["source"]) == ("clear knee", "modelled")
    assert document["complete"] is True
    rates = {point["depth"]: point["iops"] for point in document["points"]}
    for depth, iops in rates.items():
        assert iops == pytest.approx(1000 * min(depth, 6), rel=0.02)


def test_a_recording_is_reported_and_replaced_only_with_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, file = tmp_path / "curve", tmp_path / "limits.yaml"
    command = ["io", "curve", DISK, *SHORT, "-o", str(folder)]
    assert main([*command, "--io-properties", str(file)]) == ExitCode.DONE
    assert "Response curve of sim:servers=6,service=1ms" in capsys.readouterr().out
    names = {"curve.json", "io-properties.yaml", "recording.json", "report.html"}
    assert {path.name for path in folder.iterdir()} == names
    limits = yaml.safe_load((folder / "io-properties.yaml").read_text())
    assert limits == yaml.safe_load(file.read_text())
    assert set(limits["disks"][0]) == {"mountpoint", "read_iops", "read_bandwidth"}
    assert main(["report", str(folder), "--json"]) == ExitCode.DONE
    assert printed_document(capsys)["recommended"]["knee"] == 6
    assert 'id="curve"' in (folder / "report.html").read_text()
    assert main(command) == ExitCode.USAGE
    assert "add --force" in capsys.readouterr().err
    assert main([*command, "--force"]) == ExitCode.DONE


def test_ctrl_c_keeps_the_results_so_far(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    measure_points = ioprobe.engine.runner.measure_points
    are_results: list[bool] = []

    def interrupted(*args: Any, **kwargs: Any) -> Iterator[EngineEvent]:
        for event in measure_points(*args, **kwargs):
            are_results.append(isinstance(event, PointResult))
            if sum(are_results) == 10:
                yield EngineEnd(interrupted=True)
                return
            yield event

    monkeypatch.setattr(ioprobe.engine.runner, "measure_points", interrupted)
    folder = tmp_path / "curve"
    assert main(["io", "curve", DISK, *SHORT, "-o", str(folder), "--json"]) == ExitCode.DONE
    document = printed_document(capsys)
    assert document["complete"] is False
    assert len(document["readings"]) == 3  # after a pilot of six points
    assert not (folder / "io-properties.yaml").exists()
    assert main(["report", str(folder)]) == ExitCode.DONE
    assert "interrupted: results up to that moment" in capsys.readouterr().out


def test_an_interrupted_curve_is_printed_without_the_limits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    measure_points = ioprobe.engine.runner.measure_points

    def interrupted(*args: Any, **kwargs: Any) -> Iterator[EngineEvent]:
        for index, event in enumerate(measure_points(*args, **kwargs)):
            if index == 6 and len(args[1]) > 1:
                yield EngineEnd(interrupted=True)
                return
            yield event

    monkeypatch.setattr(ioprobe.engine.runner, "measure_points", interrupted)
    limits = tmp_path / "limits.yaml"
    command = ["io", "curve", DISK, *SHORT, "--io-properties", str(limits), "--json"]
    assert main(command) == ExitCode.UNABLE
    out, err = capsys.readouterr()
    assert json.loads(out)["complete"] is False
    assert (
        "was not written: the measurement was interrupted before the disk's limits were known"
        in err
    )
    assert not limits.exists()


@pytest.mark.parametrize(
    "words",
    [
        ("curve", DISK, "--io-properties", "/none/there/limits.yaml"),
        ("mix", DISK, "--picture", "/none/there/mix.png"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_first(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ioprobe.engine.runner, "measure_points", pytest.fail)
    assert main(["io", *words]) == ExitCode.USAGE
    assert "cannot write /none/there/" in capsys.readouterr().err


def test_no_file_remains_if_the_first_run_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: Any, **kwargs: Any) -> Iterator[EngineEvent]:
        raise KeyboardInterrupt

    monkeypatch.setattr(ioprobe.engine.runner, "measure_points", interrupted)
    folder = tmp_path / "curve"
    assert main(["io", "curve", DISK, "-o", str(folder)]) == ExitCode.INTERRUPTED
    assert not folder.exists()
