"""`stallscope diagnose` of programs whose cause is known, and of one without a fault."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stallscope.programs import program
from tests.documents import assert_valid

pytestmark = pytest.mark.live
# Other processes may take the CPUs of this machine, which is a true finding, but not the program's.
OF_THE_MACHINE = ("run-queue", "steal")


def diagnosis(tmp_path: Path, *words: str, duration_s: str = "2") -> dict[str, Any]:
    """Return the diagnosis of a known program."""
    if os.geteuid() != 0:
        pytest.skip("needs root: wake-ups are recorded on whole CPUs")
    target = (str(program("stallscope-kernels")), *words, "--duration", duration_s)
    text = stallscope(tmp_path, "-o", "run", "--", *target)
    assert_valid("diagnose", text)
    assert (tmp_path / "run" / "report.html").exists()
    document: dict[str, Any] = json.loads(text)
    return document


def stallscope(folder: Path, *words: str) -> str:
    """Return the document of `stallscope diagnose` in a folder."""
    process = subprocess.run(
        [sys.executable, "-m", "stallscope", "diagnose", "--json", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=folder,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def causes(document: dict[str, Any]) -> list[str]:
    """Return the causes that are those of the program, in order of cost."""
    rows = [row["cause"] for row in document["findings"]]
    return [cause for cause in rows if cause not in OF_THE_MACHINE]


def test_the_owner_of_a_lock_is_named(tmp_path: Path) -> None:
    document = diagnosis(tmp_path, "lock-hog")
    assert causes(document)[:1] == ["user-lock"], document["findings"]
    row = next(row for row in document["findings"] if row["cause"] == "user-lock")
    assert {"kind": "thread", "name": "hog"} in row["where"]
    assert document["overhead_share"] is not None
    kinds = {source["name"]: source["kind"] for source in document["sources"]}
    assert kinds["disks"] == kinds["memory and pressure"] == "measured"
    again = json.loads(stallscope(tmp_path, "run"))
    assert again["findings"] == document["findings"]
    assert again["overhead_share"] is None


def test_threads_that_spin_are_named(tmp_path: Path) -> None:
    rows = diagnosis(tmp_path, "spin-convoy", duration_s="2")["findings"]
    row = next(row for row in rows if row["cause"] == "spinning")
    assert any("spin_convoy" in place["name"] for place in row["where"])


def test_page_faults_are_told_from_system_calls(tmp_path: Path) -> None:
    assert causes(diagnosis(tmp_path, "page-faults"))[:1] == ["page-faults"]


def test_many_small_system_calls_are_a_storm(tmp_path: Path) -> None:
    assert causes(diagnosis(tmp_path, "system-calls"))[:1] == ["system-call-storm"]


def test_a_program_that_computes_does_not_stand_out(tmp_path: Path) -> None:
    document = diagnosis(tmp_path, "multiply-chain")
    assert causes(document) == [], document["findings"]
    assert document["running_share"] > 0
