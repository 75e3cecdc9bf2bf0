"""`stallscope io curve` and `io mix` from end to end on disks in virtual time, whose answers are exact."""

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


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_curve_finds_the_servers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["io", "curve", DISK, *EXACT, "--slo-p99", "2ms", "--json"]) == ExitCode.DONE
    found = told(capsys)
    assert found["recommended"] == {"latency_optimal": 6, "knee": 6, "slo": 12}
    assert (found["verdict"], found["source"]) == ("clear knee", "modelled")
    assert found["complete"] is True
    rates = {point["depth"]: point["iops"] for point in found["points"]}
    for depth, iops in rates.items():
        assert iops == pytest.approx(1000 * min(depth, 6), rel=0.02)


def test_a_recording_is_reported_and_replaced_only_by_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, file = tmp_path / "curve", tmp_path / "limits.yaml"
    words = ["io", "curve", DISK, *SHORT, "-o", str(place)]
    assert main([*words, "--io-properties", str(file)]) == ExitCode.DONE
    assert "Response curve of sim:servers=6,service=1ms" in capsys.readouterr().out
    names = {"curve.json", "io-properties.yaml", "recording.json", "report.html"}
    assert {each.name for each in place.iterdir()} == names
    limits = yaml.safe_load((place / "io-properties.yaml").read_text())
    assert limits == yaml.safe_load(file.read_text())
    assert set(limits["disks"][0]) == {"mountpoint", "read_iops", "read_bandwidth"}
    assert main(["report", str(place), "--json"]) == ExitCode.DONE
    assert told(capsys)["recommended"]["knee"] == 6
    assert 'id="curve"' in (place / "report.html").read_text()
    assert main(words) == ExitCode.USAGE
    assert "add --force" in capsys.readouterr().err
    assert main([*words, "--force"]) == ExitCode.DONE


def test_ctrl_c_keeps_what_was_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ioprobe.engine.runner.measure_points
    measured: list[bool] = []

    def measuring(*arguments: Any, **options: Any) -> Iterator[EngineEvent]:
        for event in whole(*arguments, **options):
            measured.append(isinstance(event, PointResult))
            if sum(measured) == 10:
                yield EngineEnd(interrupted=True)
                return
            yield event

    monkeypatch.setattr(ioprobe.engine.runner, "measure_points", measuring)
    place = tmp_path / "curve"
    assert main(["io", "curve", DISK, *SHORT, "-o", str(place), "--json"]) == ExitCode.DONE
    found = told(capsys)
    assert found["complete"] is False
    assert len(found["readings"]) == 3  # after a pilot of six
    assert not (place / "io-properties.yaml").exists()
    assert main(["report", str(place)]) == ExitCode.DONE
    assert "interrupted: results up to that moment" in capsys.readouterr().out


def test_a_curve_that_was_ended_is_told_though_its_limits_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ioprobe.engine.runner.measure_points

    def measuring(*arguments: Any, **options: Any) -> Iterator[EngineEvent]:
        for at, event in enumerate(whole(*arguments, **options)):
            if at == 6 and len(arguments[1]) > 1:
                yield EngineEnd(interrupted=True)
                return
            yield event

    monkeypatch.setattr(ioprobe.engine.runner, "measure_points", measuring)
    limits = tmp_path / "limits.yaml"
    words = ["io", "curve", DISK, *SHORT, "--io-properties", str(limits), "--json"]
    assert main(words) == ExitCode.UNABLE
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
def test_a_place_that_takes_no_file_is_said_before_anything_is_measured(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ioprobe.engine.runner, "measure_points", pytest.fail)
    assert main(["io", *words]) == ExitCode.USAGE
    assert "cannot write /none/there/" in capsys.readouterr().err


def test_nothing_stays_where_the_first_run_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measuring(*arguments: Any, **options: Any) -> Iterator[EngineEvent]:
        raise KeyboardInterrupt

    monkeypatch.setattr(ioprobe.engine.runner, "measure_points", measuring)
    place = tmp_path / "curve"
    assert main(["io", "curve", DISK, "-o", str(place)]) == ExitCode.INTERRUPTED
    assert not place.exists()


def test_a_matrix_is_kept_where_the_servers_can_do_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "mix"
    words = ["--duration", "0.1", "--warmup", "0.05", "--sizes", "4K"]
    assert main(["io", "mix", DISK, *words, "-o", str(place), "--json"]) == ExitCode.DONE
    found = told(capsys)
    assert found["most_reads_per_s"] == pytest.approx(6000, rel=0.03)
    for cell in found["cells"]:
        load = cell["of_most_reads"] + cell["of_most_writes"]
        if load <= 0.85:
            assert cell["outcome"] == "kept"
            assert cell["bytes_per_s"] == pytest.approx(4096 * 6000 * load, rel=0.05)
        elif load >= 1.1:
            assert cell["outcome"] in ("missed", "not tried")
            assert cell["bytes_per_s"] is None
    assert {"mix.json", "report.html", "recording.json"} == {each.name for each in place.iterdir()}
    assert main(["report", str(place)]) == ExitCode.DONE
    assert "p99 of reads: reads/s across, writes/s down" in capsys.readouterr().out
    assert 'id="mix"' in (place / "report.html").read_text()
