"""Loop devices that may be destroyed."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.live.disk.known_disk import loop_device

DEVICE_BYTES = 16 * 2**20


@pytest.fixture
def scratch_file(tmp_path: Path) -> Path:
    """A file with nothing on it that anybody knows."""
    path = tmp_path / "scratch"
    path.write_bytes(b"\x55" * DEVICE_BYTES)
    return path


@pytest.fixture
def scratch_device(needs_root: None, scratch_file: Path) -> Iterator[str]:
    """An unused loop device over it."""
    with loop_device(scratch_file) as device:
        yield device


@pytest.fixture
def throttled_to(needs_root: None) -> Iterator[Callable[[str, int], Path]]:
    """Makes a cgroup whose processes may read a device N times per second."""
    with ExitStack() as stack:

        def make(device: str, iops: int) -> Path:
            number = Path(device).stat().st_rdev
            which = f"{os.major(number)}:{os.minor(number)}"
            rules = (
                ("/sys/fs/cgroup/blkio", "blkio.throttle.read_iops_device", f"{which} {iops}"),
                ("/sys/fs/cgroup", "io.max", f"{which} riops={iops}"),
            )
            for hierarchy, rule, text in rules:
                group = Path(hierarchy, f"stallscope-test-{os.getpid()}")
                with suppress(OSError):
                    group.mkdir()
                    stack.callback(group.rmdir)
                    (group / rule).write_text(text)
                    return group
            pytest.skip("needs the kernel's blkio or io controller of cgroups")

        yield make
