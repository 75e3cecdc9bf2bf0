"""`report --weight`: wall time and off-CPU time in the summary, the JSON and the page."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.commands.report import command
from harness.profile.options import AnalysisOptions
from stallscope.errors import UsageError
from tests.topdown.waits.test_sample_weights import two_phases
from topdown.waits.weight import Weight


def report(folder: Path, *words: str) -> str:
    capture = two_phases().write(folder / "waits.perf")
    arguments = [str(capture), "-o", str(folder / "page.html"), *words]
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_json_names_the_weight_and_adds_up(tmp_path: Path) -> None:
    document = json.loads(report(tmp_path, "--weight", "wall", "--json"))
    assert document["source"]["event"] == "wall time"
    assert (document["source"]["unit"], document["source"]["kind"]) == ("ns", "measured")
    total = sum(thread["value"] for thread in document["threads"])
    assert total == pytest.approx(document["duration_s"] * 1e9, rel=0.005)


def test_the_summary_and_the_page_name_the_weight(tmp_path: Path) -> None:
    assert "off-CPU time at every context switch" in report(tmp_path, "--weight", "off-cpu")
    page = (tmp_path / "page.html").read_text()
    assert "Time off the CPU" in page
    report(tmp_path, "--weight", "wall")
    assert "Wall time" in (tmp_path / "page.html").read_text()


def test_an_event_cannot_have_another_weight() -> None:
    with pytest.raises(UsageError, match="--weight wall"):
        AnalysisOptions(event="cycles", weight=Weight.WALL)
