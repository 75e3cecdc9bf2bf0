"""The text of doctor on recorded machines, with a golden file per machine."""

from pathlib import Path

import click
import pytest

from harness.doctor.checks import CHECKS, run_checks
from harness.doctor.result import DoctorResult
from harness.doctor.text import lines
from harness.machine_checks.machine import gather
from stallscope.system_files import Roots
from tests.harness.doctor.recorded import MACHINES, NAMES, NO_COLLECTOR


@pytest.mark.parametrize("name", NAMES)
def test_the_text_matches_the_golden_file(name: str) -> None:
    checks = run_checks(gather(Roots.recorded(MACHINES / name), NO_COLLECTOR))
    result = DoctorResult(checks=checks)
    text = "\n".join(click.unstyle(line) for line in lines(result, 100)) + "\n"
    golden = MACHINES / name / "doctor.txt"
    if not golden.exists() or golden.read_text() != text:
        golden.with_suffix(".got").write_text(text)
    assert golden.read_text() == text, f"see {golden.with_suffix('.got')}"


def test_files_of_garbage_have_all_checks(tmp_path: Path) -> None:
    source = MACHINES / "intel-metal"
    for path in source.rglob("*"):
        if path.is_file():
            copy = tmp_path / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(b"\xff\x1b[2J: : 99999999999999999999999\n\n0 0\x00" * 3)
    checks = run_checks(gather(Roots.recorded(tmp_path), NO_COLLECTOR))
    assert len(checks) == len(CHECKS)
    assert "\x1b" not in click.unstyle("".join(lines(DoctorResult(checks=checks), 100)))
