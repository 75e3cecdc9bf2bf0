"""`stallscope topdown --source replay:FILE`: tree, levels, invalid requests."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.command_line import main
from stallscope.errors import ExitCode

VECTORS = Path(__file__).parents[3] / "topdown" / "slots" / "vectors"
GOLDEN = Path(__file__).parents[1] / "golden"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["topdown", *words]) == ExitCode.DONE
    output = capsys.readouterr()
    assert output.err == ""
    return output.out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["topdown", *words])
    output = capsys.readouterr()
    assert output.out == ""
    return code, output.err


def replay(name: str) -> list[str]:
    return ["--source", f"replay:{VECTORS / name}.json"]


def first_of(name: str, folder: Path) -> str:
    """A file with the first of some vectors, under a relative path that is the same on every machine."""
    path = folder / "counts.json"
    path.write_text(json.dumps(json.loads((VECTORS / f"{name}.json").read_text())[:1]))
    return "replay:counts.json"


def test_the_replay_document_has_exactly_its_fields(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(run(capsys, *replay("skl"), "--json"))
    vectors = json.loads((VECTORS / "skl.json").read_text())
    assert len(document) == len(vectors)
    for element in document:
        assert list(element) == ["schema", "cpu", "nodes"]
        assert (element["schema"], element["cpu"]) == ("stallscope.topdown.replay/1", "skl")
        for node in element["nodes"].values():
            assert list(node) == ["value", "level", "parent", "above_threshold", "warnings"]
            assert node["value"] is not None or node["warnings"]


def test_a_single_object_gives_a_list_with_a_single_element(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps(json.loads((VECTORS / "zen4.json").read_text())[0]))
    [element] = json.loads(run(capsys, "--source", f"replay:{path}", "--json"))
    assert element["nodes"]["smt_contention"]["value"] == 0
    assert element["nodes"]["retiring"]["above_threshold"] is None


@pytest.mark.parametrize("name", ["skl", "icl", "zen4", "neoverse-n1"])
def test_the_tree_as_text(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    source = first_of(name, tmp_path)
    monkeypatch.chdir(tmp_path)
    output = run(capsys, "--source", source)
    golden = GOLDEN / f"topdown-{name}.txt"
    if output != golden.read_text():
        golden.with_suffix(".got").write_text(output)
    assert output == golden.read_text()


def test_a_level_limits_the_depth_of_the_tree(capsys: pytest.CaptureFixture[str]) -> None:
    [element, *_] = json.loads(run(capsys, *replay("spr"), "--json", "-l", "1"))
    assert list(element["nodes"]) == [
        "Frontend_Bound",
        "Bad_Speculation",
        "Backend_Bound",
        "Retiring",
    ]
    text = run(capsys, *replay("spr"), "-l", "3")
    assert "\n    L1_Bound" in text
    assert "\n      DTLB_Load" not in text


@pytest.mark.parametrize(("name", "deepest"), [("skl", 6), ("zen4", 2), ("neoverse-n1", 1)])
def test_a_level_deeper_than_the_tree_prints_the_whole_tree_with_a_note(
    capsys: pytest.CaptureFixture[str], name: str, deepest: int
) -> None:
    assert main(["topdown", *replay(name), "-l", "9"]) == ExitCode.DONE
    output = capsys.readouterr()
    assert f"-l 9: this CPU's tree has {deepest} level" in output.err
    whole = run(capsys, *replay(name), "-l", str(deepest))
    assert output.out == whole


def test_level_zero_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = refused(capsys, *replay("skl"), "-l", "0")
    assert code == ExitCode.USAGE


def test_csv(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, *replay("neoverse-v1"), "--csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["reading"] for row in rows} == {"0", "1"}
    row = next(row for row in rows if row["node"] == "frontend_bound")
    vector = json.loads((VECTORS / "neoverse-v1.json").read_text())[0]
    assert float(row["value"]) == pytest.approx(vector["expect_telemetry"]["frontend_bound"])
    assert (row["unit"], row["level"], row["above_threshold"]) == ("percent of slots", "1", "")


def test_impossible_values_have_a_mark_and_a_reason(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "x.json"
    counts: dict[str, Any] = {"CPU_CLK_UNHALTED.THREAD": 1e6, "IDQ_UOPS_NOT_DELIVERED.CORE": 9e6}
    path.write_text(json.dumps({"cpu": "skl", "counts": counts}))
    text = run(capsys, "--source", f"replay:{path}")
    assert "225.0 %!" in text
    assert "! Frontend_Bound: impossible: more than the whole" in text
    assert "bottleneck unknown" in text
    assert "no value for Retiring: not in the counts: UOPS_RETIRED.RETIRE_SLOTS" in text


def test_zero_and_negative_counts_give_a_reason_instead_of_a_value(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "x.json"
    counts = {"CPU_CLK_UNHALTED.THREAD": 0, "IDQ_UOPS_NOT_DELIVERED.CORE": -5}
    path.write_text(json.dumps({"cpu": "skl", "counts": counts | {"UOPS_RETIRED.RETIRE_SLOTS": 1}}))
    [element] = json.loads(run(capsys, "--source", f"replay:{path}", "--json"))
    nodes = element["nodes"]
    assert nodes["Retiring"]["value"] is None
    assert nodes["Retiring"]["warnings"][0].startswith("division by zero: ")
    assert nodes["Frontend_Bound"]["value"] is None
    assert "is negative (-5)" in nodes["Frontend_Bound"]["warnings"][0]
    text = run(capsys, "--source", f"replay:{path}")
    assert "0.0 %" not in text


def test_output_of_perf_stat(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "perf.csv"
    path.write_text(
        "# started on\n1000,,ls_not_halted_cyc,9,100.00,,\n1500,,cpu/event=0xc1/u,9,50.00,,\n"
        "2000,,instructions,9,100.00,,\n"
    )
    text = run(capsys, "--source", f"replay:{path}", "--cpu", "zen4")
    assert "IPC        2.00 instructions per cycle" in text
    assert "25.0 %" in text
    assert "! retiring: scaled: an event was counted 50 % of the time" in text


def test_control_characters_in_names_are_escaped(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "x.json"
    path.write_text(
        json.dumps({"cpu": "zen4", "counts": {"ex_ret_ops": 1, "\x1b[31mred\u202e": 5}})
    )
    text = run(capsys, "--source", f"replay:{path}")
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize(
    ("words", "code", "expected_text"),
    [
        (["--source", "pmu"], ExitCode.USAGE, "name exactly one target"),
        (["--source", "replay:"], ExitCode.USAGE, "needs a file"),
        (["--source", "guess", "-a"], ExitCode.USAGE, "auto, pmu, model or replay:FILE"),
        ([], ExitCode.USAGE, "name exactly one target"),
        (["--source", "replay:/no/such/file"], ExitCode.USAGE, "no such file"),
        ([*replay("skl"), "--json", "--csv"], ExitCode.USAGE, "exclude each other"),
        ([*replay("skl"), "--cpu", "skylak"], ExitCode.USAGE, "skylake"),
        (["--source", f"replay:{__file__}"], ExitCode.UNREADABLE, "perf stat"),
        ([*replay("zen4"), "--cpu", "skl"], ExitCode.UNREADABLE, "none of the counts is an event"),
    ],
)
def test_invalid_requests_are_refused(
    capsys: pytest.CaptureFixture[str], words: list[str], code: ExitCode, expected_text: str
) -> None:
    result, message = refused(capsys, *words)
    assert result == code
    assert expected_text in message
