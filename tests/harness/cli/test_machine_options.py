"""Options for a recorded machine."""

from pathlib import Path

import click
import pytest

from harness.cli.machine_options import roots_options
from tests.harness.cli.parsed_options import parsed


def test_this_machine_is_read_by_default() -> None:
    assert parsed(roots_options) == {"sysfs_root": Path("/sys"), "proc_root": Path("/proc")}


def test_both_directories_of_a_recorded_machine_can_be_named(tmp_path: Path) -> None:
    words = ("--sysfs-root", str(tmp_path), "--proc-root", str(tmp_path))
    assert parsed(roots_options, *words) == {"sysfs_root": tmp_path, "proc_root": tmp_path}


def test_a_directory_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(click.BadParameter, match="does not exist"):
        parsed(roots_options, "--sysfs-root", str(tmp_path / "none"))
