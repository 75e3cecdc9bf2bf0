"""`stallscope lab kernels` on programs that kernel counters diagnose."""

import json
import subprocess
import sys

import pytest

from tests.documents import assert_valid

pytestmark = pytest.mark.live


def test_kernel_counters_diagnose_short_kernels() -> None:
    words = ["--kernel", "page-faults", "--kernel", "system-calls", "--gate", "--json"]
    process = subprocess.run(
        [sys.executable, "-m", "stallscope", "lab", "kernels", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    assert_valid("lab.kernels", process.stdout)
    rows = json.loads(process.stdout)["rows"]
    assert [row["kernel"] for row in rows] == ["page-faults", "system-calls"]
    for row in rows:
        assert row["answer"] == row["expected"]
        assert row["kind"] == "measured"
