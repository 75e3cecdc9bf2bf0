"""`stallscope lab waits` on programs whose diagnosis does not depend on other load."""

import json
import os
import subprocess
import sys

import pytest

from tests.documents import assert_valid

pytestmark = pytest.mark.live


def test_expected_causes_and_shares_are_those_of_the_diagnosis() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root: wake-ups are recorded on whole CPUs")
    words = ["--program", "pipeline-slow-middle", "--no-look-alikes"]
    process = subprocess.run(
        [sys.executable, "-m", "stallscope", "lab", "waits", "--json", "--duration", "1", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    assert_valid("lab.waits", process.stdout)
    (row,) = json.loads(process.stdout)["rows"]
    assert row["program"] == "pipeline-slow-middle"
    assert row["cause_verdict"] == "right", row
    assert row["largest_difference"] < 0.15, row
