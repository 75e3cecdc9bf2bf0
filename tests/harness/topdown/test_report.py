"""Recordings of counters, read again by `stallscope topdown` and `stallscope report`."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from cstates.fingerprint import Fingerprint
from harness.cli.command_line import main
from stallscope.errors import ExitCode
from tests.documents import assert_valid
from tests.harness.topdown.counters_recording import MISSING, counters_recording

FINGERPRINT = Fingerprint(
    cpus=2, idle_governor="menu", idle_missing="no sleep states", latency_limit_us=None,
    latency_limit_missing=None, states=(), frequencies=(), frequency_missing="no cpufreq",
    turbo_allowed=None, warnings=(),
)  # fmt: skip


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words]) == ExitCode.DONE
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> Any:
    text = printed(capsys, "topdown", "--source", f"replay:{folder}", "--json", *words)
    assert_valid("topdown", text)
    return json.loads(text)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main([*words])
    output = capsys.readouterr()
    assert output.out == ""
    return code, " ".join(output.err.split())


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return counters_recording(tmp_path / "run")


def test_values_equal_hand_computed_values(
    capsys: pytest.CaptureFixture[str], recording: Path
) -> None:
    result = document(capsys, recording)
    assert (result["kind"], result["cpu"]) == ("measured", "skl")
    assert result["interval_label"] == "multiplexing error only"
    # 4 slots per cycle: 1e8 of 1e9 per window; retired falls from 3e8 by 1e7 per window.
    assert result["nodes"]["Frontend_Bound"]["value"] == pytest.approx(0.1)
    assert result["nodes"]["Retiring"]["value"] == pytest.approx(0.255)
    assert result["ipc"]["value"] == pytest.approx(2.55 / 2.5)
    # The multiplexing error of a changing value is large; a steady value has none.
    steady, changing = (
        result["nodes"][name]["interval"] for name in ("Frontend_Bound", "Retiring")
    )
    assert steady["high"] - steady["low"] == pytest.approx(0, abs=1e-6)
    assert 0.002 < changing["high"] - changing["low"] < 0.05
    assert result["bottleneck"] == ["Backend_Bound", "Memory_Bound"]


def test_intervals_are_computed_from_windows(
    capsys: pytest.CaptureFixture[str], recording: Path, tmp_path: Path
) -> None:
    words = ("topdown", "--source", f"replay:{recording}", "-I", "200", "-l", "1")
    rows = list(csv.DictReader(io.StringIO(printed(capsys, *words, "--csv"))))
    assert len(rows) == 5 * 5
    retiring = [float(row["value"]) for row in rows if row["node"] == "Retiring"]
    assert retiring == pytest.approx([0.295, 0.275, 0.255, 0.235, 0.215])
    picture = tmp_path / "slots.svg"
    text = printed(capsys, *words, "-o", str(picture))
    assert text.splitlines()[1].split()[:3] == ["0.20", "s", "1.18"]
    assert "over 1.00 s, 5 intervals, measured" in text
    assert "Backend_Bound" in picture.read_text()


def test_a_missing_counter_and_the_nodes_that_fall(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = counters_recording(tmp_path / "run", missing=MISSING)
    result = document(capsys, folder)
    missing = {name for name, node in result["nodes"].items() if node["value"] is None}
    assert missing == {"Memory_Bound", "Core_Bound"}
    for name in missing:
        [why] = result["nodes"][name]["warnings"]
        assert why == f"{MISSING}: no such event"
        assert result["nodes"][name]["kind"] == "unavailable"
    text = " ".join(printed(capsys, "topdown", "--source", f"replay:{folder}").split())
    assert f"no value for Memory_Bound, Core_Bound: {MISSING}: no such event" in text


def test_fewer_than_four_windows_have_no_interval(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    result = document(capsys, counters_recording(tmp_path / "run", windows=3))
    assert result["nodes"]["Retiring"]["interval"] is None
    assert result["interval_label"].startswith("none: a group was counted in fewer than 4 windows")
    assert any("measure longer" in warning for warning in result["warnings"])


def test_a_group_that_was_split_has_a_warning(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    notice = "the events of Memory_Bound fit in no group: they are counted in 2 groups"
    folder = counters_recording(tmp_path / "run", notice=notice)
    assert notice in document(capsys, folder)["warnings"]
    text = printed(capsys, "topdown", "--source", f"replay:{folder}")
    assert f"caution    {notice}" in text


def test_a_target_that_ended_before_the_first_window(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = counters_recording(tmp_path / "run", windows=0)
    code, message = refused(capsys, "topdown", "--source", f"replay:{folder}")
    assert code == ExitCode.UNREADABLE
    assert "nothing was counted" in message
    assert "measure longer" in message


def test_report_writes_a_page(
    capsys: pytest.CaptureFixture[str], recording: Path, tmp_path: Path
) -> None:
    text = printed(capsys, "report", str(recording))
    assert "Backend_Bound > Memory_Bound" in text
    page = (recording / "report.html").read_text()
    assert 'id="slots"' in page
    assert page.split('class="slots-time"')[1].split("</svg>")[0].count("slot-backend") == 10
    elsewhere = tmp_path / "page.html"
    text = printed(capsys, "report", str(recording), "-o", str(elsewhere), "--json")
    assert_valid("topdown", text)
    replayed = json.loads(text)
    assert (replayed["schema"], replayed["report"]) == (
        "stallscope.topdown/1",
        str(elsewhere),
    )
    assert elsewhere.exists()


def test_a_recording_keeps_the_settings_of_its_machine(
    capsys: pytest.CaptureFixture[str], recording: Path
) -> None:
    before = json.loads((recording / "recording.json").read_text())
    settings = json.loads(json.dumps(FINGERPRINT.document()))
    (recording / "recording.json").write_text(json.dumps(before | {"settings": settings}))
    report = json.loads(printed(capsys, "report", str(recording), "--json"))
    assert report["settings"] == settings
    assert "sleep states" in (recording / "report.html").read_text()
    assert "sleep states: " in printed(capsys, "report", str(recording))


def test_a_page_is_written_to_the_path_of_the_option(
    capsys: pytest.CaptureFixture[str], recording: Path, tmp_path: Path
) -> None:
    page = tmp_path / "slots.html"
    printed(capsys, "topdown", "--source", f"replay:{recording}", "-o", str(page))
    assert 'id="slots"' in page.read_text()


def test_control_characters_in_names_are_escaped(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    evil = "\x1b]0;owned\x07\u202e<script>"
    folder = counters_recording(tmp_path / "run", command=(evil,))
    text = printed(capsys, "report", str(folder))
    page = (folder / "report.html").read_text()
    for output in (text, page):
        assert "\x1b" not in output
        assert "\u202e" not in output
    assert page.count("<script") == 2


@pytest.mark.parametrize(
    ("words", "expected_text"),
    [
        (("-I", "5"), "-I 5 is too short"),
        (("--drill",), "--drill has no effect with --source replay"),
        (("-p", "1"), "-p has no effect with --source replay"),
        (("-o", "elsewhere"), "the recording exists already"),
    ],
)
def test_contradictions(
    capsys: pytest.CaptureFixture[str], recording: Path, words: tuple[str, ...], expected_text: str
) -> None:
    code, message = refused(capsys, "topdown", "--source", f"replay:{recording}", *words)
    assert code == ExitCode.USAGE
    assert expected_text in message


def test_damaged_recordings_are_reported(
    capsys: pytest.CaptureFixture[str], recording: Path
) -> None:
    counters = recording / "counters.jsonl"
    whole = counters.read_text()
    counters.write_text(whole[: len(whole) // 2])
    result = document(capsys, recording)
    assert any("cut off" in warning for warning in result["warnings"])
    for text, expected_text in (
        ("", "is empty"),
        ("{}\n", "expected the schema stallscope.counters/1"),
        (whole.replace('"v": [', '"v": [-1, ', 1), "counters.jsonl"),
    ):
        counters.write_text(text)
        code, message = refused(capsys, "topdown", "--source", f"replay:{recording}")
        assert code == ExitCode.UNREADABLE
        assert expected_text in message


def test_a_recording_of_counters_has_no_flame_graph(
    capsys: pytest.CaptureFixture[str], recording: Path, tmp_path: Path
) -> None:
    code, message = refused(capsys, "flame", str(recording), "-o", str(tmp_path / "x.svg"))
    assert code == ExitCode.USAGE
    assert f"stallscope report {recording}" in message


def test_a_directory_without_a_recording_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, message = refused(capsys, "topdown", "--source", f"replay:{tmp_path}")
    assert code == ExitCode.USAGE
    assert "is not a recording of counters" in message
