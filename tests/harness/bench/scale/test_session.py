"""`bench scale` from a table to its outputs."""

import json
from pathlib import Path

import pytest

from harness.bench.scale.options import BenchScaleOptions, FitOptions, scale_options
from harness.bench.scale.session import read_source, run_scale
from stallscope.errors import RecordingError
from tests.documents import assert_valid

SPEC = "N,X\n1,64.9\n18,995.9\n36,1652.4\n72,1853.2\n108,1828.9\n144,1775.0\n216,1702.2\n"


def _json(tmp_path: Path, capsys, text: str, **fit) -> dict:
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert run_scale(BenchScaleOptions(None, path, FitOptions(**fit)), as_json=True) == 0
    text = capsys.readouterr().out
    assert_valid("bench.scale", text)
    return json.loads(text)


def test_the_document_has_both_laws_and_a_verdict(tmp_path, capsys) -> None:
    result = _json(tmp_path, capsys, SPEC)
    usl = result["usl"]
    assert usl["sigma"] == pytest.approx(0.02773, abs=1e-5)
    assert usl["kappa"] == pytest.approx(1.044e-4, abs=1e-7)
    assert usl["lambda"] == pytest.approx(90.0, abs=0.05)
    assert usl["peak"] == pytest.approx(96.52, abs=0.01)
    assert usl["limit"] == pytest.approx(3245.59, abs=0.5)
    assert result["amdahl"]["kappa"] == 0
    assert result["verdict"] == "retrograde"


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ((3, 6, 12, 24, 48, 96), "linear"),
        ((7, 7, 7, 7, 7, 7), "constant"),
        ((20, 38, 78, 130, 190, 260), "no retrograde evidence"),
        ((1, 1.9, 3), "too few points"),
    ],
)  # fmt: skip
def test_verdicts_are_named(tmp_path, capsys, values, verdict) -> None:
    rows = "".join(f"{2**place},{value}\n" for place, value in enumerate(values))
    assert _json(tmp_path, capsys, f"N,X\n{rows}")["verdict"] == verdict


def test_a_speed_up_table_with_lambda_fixed_at_1(tmp_path, capsys) -> None:
    text = "N speed-up\n1 1\n8 7.88\n16 14.81\n32 24.67\n64 38.38\n"
    result = _json(tmp_path, capsys, text, fixed_rate=1.0)
    assert result["amdahl"]["sigma"] == pytest.approx(0.0104, abs=5e-5)
    assert result["usl"]["peak"] == pytest.approx(142, abs=1)
    assert any("5 points" in warning for warning in result["warnings"])
    assert _json(tmp_path, capsys, text, fixed_rate="first")["usl"] == result["usl"]


def test_two_counts_have_no_universal_law(tmp_path, capsys) -> None:
    result = _json(tmp_path, capsys, "N,X\n1,1\n2,1.8\n")
    assert result["usl"] is None
    assert result["amdahl"]["sigma"] == pytest.approx(1 / 9)


def test_laws_that_contradict_are_a_warning(tmp_path, capsys) -> None:
    result = _json(tmp_path, capsys, "N,X,R,U,D\n1,10,0.1,1,0.1\n4,30,0.02,3,0.1\n")
    assert [row["holds"] for row in result["little"]] == [True, False]
    assert [row["holds"] for row in result["utilization"]] == [True, True]
    assert any("Little's law is off" in warning for warning in result["warnings"])


def test_files_have_the_same_points(tmp_path, capsys) -> None:
    path = tmp_path / "t.csv"
    path.write_text(SPEC)
    outputs = tuple(tmp_path / name for name in ("out.csv", "out.svg", "out.json", "out.html"))
    run_scale(BenchScaleOptions(None, path, outputs=outputs), as_json=False)
    assert "Retrograde: throughput peaks at 96.52 threads" in capsys.readouterr().out
    again = read_source(outputs[0], BenchScaleOptions(None, outputs[0]))[0]
    assert [reading.throughput for reading in again][:2] == [64.9, 995.9]
    page = outputs[3].read_text()
    assert "<svg" in page
    assert "style=" not in page
    assert json.loads(outputs[2].read_text())["title"] == "t.csv"


def test_a_missing_file_is_an_error() -> None:
    with pytest.raises(RecordingError, match="cannot read /nowhere.csv"):
        run_scale(scale_options(("/nowhere.csv",), None), as_json=True)
