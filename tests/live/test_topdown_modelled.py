"""`stallscope topdown --source model`: every line is marked as modelled; the document stays valid."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from stallscope.errors import ExitCode
from stallscope.programs import program

pytestmark = pytest.mark.live

CHAIN = ("dependent-chain", "--iterations", "300000")


@pytest.fixture(autouse=True)
def _with_valgrind() -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("needs the program valgrind")


def topdown(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "stallscope", "topdown", "--source", "model", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | {"NO_COLOR": "1"},
    )


def test_a_command_is_modelled_and_its_output_stays_out_of_the_document() -> None:
    run = topdown("--json", "--", str(program("stallscope-kernels")), *CHAIN)
    assert run.returncode == ExitCode.DONE, run.stderr
    result = json.loads(run.stdout)
    assert (result["schema"], result["kind"]) == ("stallscope.topdown/1", "modelled")
    assert {node["kind"] for node in result["nodes"].values()} == {"modelled"}
    assert set(result["nodes"]) >= {"retiring", "bad_speculation", "unexplained"}
    assert sum(
        node["value"] for node in result["nodes"].values() if node["level"] == 1
    ) == pytest.approx(1)
    assert '"stallscope.kernels/1"' in run.stderr


def test_a_command_that_fails() -> None:
    run = topdown("--", "/bin/false")
    assert (run.returncode, run.stdout) == (ExitCode.TARGET_FAILED, "")
