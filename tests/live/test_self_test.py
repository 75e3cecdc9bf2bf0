"""`stallscope topdown --self-test` on this machine: its document, or the reason why there is none."""

import json
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from stallscope.collector import CollectionEnd, CountOptions
from stallscope.documents import encode
from stallscope.system_files import Roots
from tests.documents import assert_valid
from topdown.slots.self_test import session

pytestmark = pytest.mark.live
STALLSCOPE = Path(sys.executable).with_name("stallscope")
MACHINE = Path(__file__).parents[1] / "machines" / "intel-metal"
CPU_CLOCK = {"type": 1, "config": "0x0"}  # PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK


def count_cpu_clock(options: CountOptions, output: IO[str]) -> CollectionEnd:
    """Count a part of the plan with the CPU clock as every event, which any machine has.

    The clock needs no counter, so that all events are in one group, whose size has a limit.
    """
    plan = json.loads(options.plan.read_text())
    plan["sets"] = plan["sets"][:20]
    plan["events"] = dict.fromkeys(plan["events"], CPU_CLOCK)
    options.plan.write_text(json.dumps(plan))
    return session.collect_kernel(options, output)


def test_the_document_of_real_recordings_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "DURATION_S", 0.02)
    monkeypatch.setattr(session, "KERNELS", ("dependent-chain", "random-branches"))
    roots = Roots(proc=MACHINE / "proc", sys=MACHINE / "sys")
    result = session.self_test(cpu="icl", roots=roots, count=count_cpu_clock)
    assert_valid("self-test", encode(result))
    assert [program.kernel for program in result.kernels] == list(session.KERNELS)
    assert all(program.iterations > 0 and program.counts for program in result.kernels)
    assert sum(result.verdicts.values()) == len(result.events)


def test_the_command_writes_a_valid_document_or_nothing(tmp_path: Path) -> None:
    """Without counters the document would have no content: exit code 3, and the remedy."""
    file = tmp_path / "result.json"
    ended = subprocess.run(
        [str(STALLSCOPE), "topdown", "--self-test", "--json", "-o", str(file)],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    if ended.returncode == 0:
        assert_valid("self-test", ended.stdout)
        assert json.loads(file.read_text()) == json.loads(ended.stdout)
        return
    assert ended.returncode == 3
    assert ended.stdout == ""
    assert "remedy: " in ended.stderr
    assert not file.exists()
