"""Options for a recorded machine."""

from pathlib import Path

from harness.cli.machine_options import roots_options
from tests.harness.cli.parsed_options import parsed


def test_this_machine_is_read_by_default() -> None:
    assert parsed(roots_options) == {"sysfs_root": Path("/sys"), "proc_root": Path("/proc")}


def test_both_directories_of_a_recorded_machine_can_be_named() -> None:
    values = parsed(roots_options, "--sysfs-root", "box/sys", "--proc-root", "box/proc")
    assert values == {"sysfs_root": Path("box/sys"), "proc_root": Path("box/proc")}
