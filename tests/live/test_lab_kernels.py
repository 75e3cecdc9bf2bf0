"""`stallscope lab kernels` on programs that the kernel's counters judge."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.live


def test_short_kernels_are_told_by_the_kernels_counters() -> None:
    words = ["--kernel", "page-faults", "--kernel", "system-calls", "--gate", "--json"]
    ran = subprocess.run(
        [sys.executable, "-m", "stallscope", "lab", "kernels", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    rows = json.loads(ran.stdout)["rows"]
    assert [row["kernel"] for row in rows] == ["page-faults", "system-calls"]
    for row in rows:
        assert row["found"] == row["expected"]
        assert row["kind"] == "measured"
