"""`stallscope topdown --self-test`: the file, the text and invalid requests."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.command_line import main
from harness.topdown.self_test.session import show_self_test
from stallscope.errors import ExitCode
from stallscope.system_files import Roots
from tests.documents import assert_valid
from topdown.slots.self_test.result import (
    EventResult,
    ProgramResult,
    SelfTestMode,
    SelfTestResult,
)

RESULT = SelfTestResult(
    stallscope="9.8.7",
    cpu="skl",
    title="Skylake, client",
    identity="GenuineIntel family 6 model 94 stepping 3",
    cpu_name="a CPU",
    microcode="",
    kernel_release="6.12",
    virtualization=None,
    mode=SelfTestMode(smt=False, ebs_mode=False, metrics=()),
    verdicts={"works": 1, "broken": 1},
    events={
        "INST_RETIRED.ANY": EventResult(verdict="works", reason="1 checks"),
        "UOPS_ISSUED.ANY": EventResult(verdict="broken", reason="counts 0 in dependent-chain"),
    },
    kernels=(
        ProgramResult(
            kernel="dependent-chain",
            expected="backend_bound/core_bound",
            bottleneck="Backend_Bound/Core_Bound",
            iterations=1000,
            cpu_ns=1_000_000,
            ipc=1.0,
            level_1={},
            counts={},
        ),
    ),
)


def played(**_: Any) -> SelfTestResult:
    return RESULT


def values(**changes: Any) -> dict[str, Any]:
    return {"cpu": "", "output": None, "as_json": False} | changes


def test_the_result_is_written_and_printed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    show_self_test(values(), Roots(), played)
    text = capsys.readouterr().out
    assert "1 works" in text
    assert "broken: UOPS_ISSUED.ANY: counts 0 in dependent-chain" in text
    assert "expected backend_bound/core_bound, measured Backend_Bound/Core_Bound" in text
    written = json.loads((tmp_path / "stallscope-self-test-skl.json").read_text())
    assert written["schema"] == "stallscope.self-test/1"
    show_self_test(values(as_json=True, output=tmp_path / "x.json"), Roots(), played)
    printed = capsys.readouterr().out
    assert_valid("self-test", printed)
    assert json.loads(printed) == json.loads((tmp_path / "x.json").read_text())


@pytest.mark.parametrize(
    "words", [("-p", "1"), ("--", "true"), ("-I", "100"), ("--source", "model"), ("--csv",)]
)
def test_the_self_test_refuses_a_target(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert main(["topdown", "--self-test", *words]) == ExitCode.USAGE
    assert "runs its own programs" in capsys.readouterr().err
