"""`stallscope topdown --self-test` as it is typed: its file, its words, what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.command_line import main
from harness.topdown.self_test import show_self_test
from stallscope.errors import ExitCode
from stallscope.system_files import Roots
from topdown.slots.model import load
from topdown.slots.self_test.program_counts import ProgramCounts, ProgramWork
from topdown.slots.self_test.session import SelfTest
from topdown.slots.self_test.verdicts import EventAssessment, EventVerdict

WORK = ProgramWork("dependent-chain", "backend_bound/core_bound", 1000, 1_000_000)
EVENTS = {
    "INST_RETIRED.ANY": EventAssessment(EventVerdict.WORKS, "as many as are known"),
    "UOPS_ISSUED.ANY": EventAssessment(EventVerdict.BROKEN, "counts 0 in dependent-chain"),
}


def played(**_: Any) -> SelfTest:
    seen = ProgramCounts(WORK, {}, bottleneck=("Backend_Bound", "Core_Bound"))
    document = {"schema": "stallscope.self-test/1", "cpu": "skl"}
    return SelfTest(load("skl"), EVENTS, (seen,), document)


def values(**given: Any) -> dict[str, Any]:
    return {"cpu": "", "output": None, "as_json": False} | given


def test_the_file_and_what_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    show_self_test(values(), Roots(), played)
    text = capsys.readouterr().out
    assert "1 works" in text
    assert "broken: UOPS_ISSUED.ANY: counts 0 in dependent-chain" in text
    assert "expected backend_bound/core_bound, found Backend_Bound/Core_Bound" in text
    written = json.loads((tmp_path / "stallscope-self-test-skl.json").read_text())
    assert written["schema"] == "stallscope.self-test/1"
    show_self_test(values(as_json=True, output=tmp_path / "x.json"), Roots(), played)
    assert json.loads(capsys.readouterr().out) == json.loads((tmp_path / "x.json").read_text())


@pytest.mark.parametrize(
    "words", [("-p", "1"), ("--", "true"), ("-I", "100"), ("--source", "model"), ("--csv",)]
)
def test_it_takes_no_target(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    assert main(["topdown", "--self-test", *words]) == ExitCode.USAGE
    assert "programs of its own" in capsys.readouterr().err
