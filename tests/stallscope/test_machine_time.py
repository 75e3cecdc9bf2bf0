"""The machine's time as /proc/stat has it, and files that do not have it."""

from pathlib import Path

import pytest

from stallscope.machine_time import MachineTime, read_machine_time


def test_idle_is_with_and_without_disks_waited_for(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text("cpu  10 1 20 300 40 5 6 7 0 0\ncpu0 9 9 9 9 9 9 9 9 0 0\n")
    assert read_machine_time(tmp_path) == MachineTime(all=389, idle=340, stolen=7)


@pytest.mark.parametrize("text", [None, "", "cpu 1 2\n", "cpu 1 2 3 4 5 6 7 x\n", "cpu0 1 2 3\n"])
def test_what_is_not_told_is_none(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "stat").write_text(text)
    assert read_machine_time(tmp_path) is None
