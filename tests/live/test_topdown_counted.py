"""`stallscope topdown` on a machine with hardware counters, from the command line to the page."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.machine_checks.check import Status
from harness.topdown.sources import pmu_check
from stallscope.errors import ExitCode
from stallscope.programs import program
from stallscope.system_files import Roots

pytestmark = [pytest.mark.live, pytest.mark.pmu]


@pytest.fixture(autouse=True, scope="module")
def _with_pmu() -> None:
    check = pmu_check(Roots())
    if check.status is not Status.AVAILABLE:
        pytest.skip(f"needs hardware counters: {check.detail}")


def stallscope(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stallscope", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_a_known_chain_is_counted_printed_and_recorded(tmp_path: Path) -> None:
    kernel = (str(program("stallscope-kernels")), "dependent-chain", "--duration", "1")
    kept = tmp_path / "kept"
    run = stallscope("topdown", "--json", "-I", "100", "-o", str(kept), "--", *kernel)
    assert run.returncode == ExitCode.DONE, run.stderr
    result = json.loads(run.stdout)
    assert (result["schema"], result["kind"]) == ("stallscope.topdown/1", "measured")
    # 30 dependent additions and two instructions of the loop: IPC is slightly above 1.
    assert 0.8 < result["ipc"]["value"] < 1.5
    assert len(result["intervals"]) >= 5
    report = stallscope("report", str(kept))
    assert report.returncode == ExitCode.DONE, report.stderr
    assert "measured" in report.stdout
    assert 'id="slots"' in (kept / "report.html").read_text()
