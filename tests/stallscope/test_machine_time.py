"""CPU time from /proc/stat, also if it is damaged."""

from pathlib import Path

import pytest

from stallscope.machine_time import MachineTime, read_cpu_time, read_machine_time


def test_idle_time_includes_waiting_for_disks(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text("cpu  10 1 20 300 40 5 6 7 0 0\ncpu0 9 9 9 9 9 9 9 9 0 0\n")
    assert read_machine_time(tmp_path) == MachineTime(
        all=389, idle=340, stolen=7, iowait=40, interrupts=11
    )


@pytest.mark.parametrize("text", [None, "", "cpu 1 2\n", "cpu 1 2 3 4 5 6 7 x\n", "cpu0 1 2 3\n"])
def test_a_damaged_or_missing_file_gives_none(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "stat").write_text(text)
    assert read_machine_time(tmp_path) is None


def test_the_time_of_several_cpus_is_their_sum(tmp_path: Path) -> None:
    lines = [f"cpu{n} {n} 0 0 100 10 0 0 {n} 0 0" for n in (0, 1, 3)]
    (tmp_path / "stat").write_text("\n".join(["cpu  9 9 9 9 9 9 9 9 0 0", *lines, ""]))
    assert read_cpu_time(tmp_path, (1, 3)) == MachineTime(all=228, idle=220, stolen=4, iowait=20)
    assert read_cpu_time(tmp_path, (1, 2)) is None  # CPU 2 is offline and has no line
    assert read_cpu_time(tmp_path, ()) is None
