import os
from pathlib import Path

import pytest

from harness.waits.neighbours import FILE, cgroup_of, keep_neighbours, read_neighbours


@pytest.mark.parametrize(
    ("text", "cgroup"),
    [
        ("0::/system.slice/a.service\n", "/system.slice/a.service"),
        ("4:memory:/m\n3:cpu,cpuacct:/busy\n0::/unified\n", "/busy"),
        ("4:memory:/m\n", None),
        ("", None),
    ],
)
def test_the_cgroup_is_the_one_that_limits_cpu_time(
    tmp_path: Path, text: str, cgroup: str | None
) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "7/cgroup").write_text(text)
    assert cgroup_of(7, tmp_path) == cgroup


def test_cgroups_are_kept_in_the_recording(tmp_path: Path) -> None:
    (tmp_path / "proc/7").mkdir(parents=True)
    (tmp_path / "proc/7/cgroup").write_text("0::/busy\n")
    keep_neighbours(tmp_path, [7, 8, 7], tmp_path / "proc")
    assert read_neighbours(tmp_path) == {7: "/busy"}


def test_this_process_has_a_cgroup() -> None:
    assert cgroup_of(os.getpid()) is not None


def test_a_damaged_file_gives_no_cgroups(tmp_path: Path) -> None:
    assert read_neighbours(tmp_path) == {}
    (tmp_path / FILE).write_text('{"pid": -1}\n')
    assert read_neighbours(tmp_path) == {}
