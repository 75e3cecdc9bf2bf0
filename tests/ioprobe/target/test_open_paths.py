"""Paths of the command line: opened without calling a driver, errors with remedies."""

import errno
import os
from pathlib import Path

import pytest

from ioprobe.target.open_paths import open_error, open_path
from stallscope.errors import ExitCode, StallscopeError


def test_a_device_is_opened_without_its_driver(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("/dev/full")
    descriptor = open_path(str(link))
    try:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.write(descriptor, b"x")
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("path", ["/nonexistent/file", "/etc/passwd/file", "a\0b", "x" * 5000])
def test_a_wrong_path_is_a_usage_error(path: str) -> None:
    with pytest.raises(StallscopeError) as raised:
        open_path(path)
    assert raised.value.exit_code == ExitCode.USAGE
    assert "lsblk" in raised.value.remedy


@pytest.mark.parametrize(
    ("number", "remedy"), [(errno.EACCES, "run as root"), (errno.EIO, "the kernel's log")]
)
def test_a_path_that_this_machine_refuses_has_a_remedy(number: int, remedy: str) -> None:
    error = open_error("/dev/sda", OSError(number, ""))
    assert error.exit_code == ExitCode.UNABLE
    assert remedy in error.remedy
