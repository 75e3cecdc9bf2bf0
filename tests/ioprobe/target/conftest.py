"""A machine with disks."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from stallscope.system_files import Roots
from tests.ioprobe.target.disks import DISK, MACHINE


@pytest.fixture
def machine(tmp_path: Path) -> Callable[[Mapping[str, str]], Roots]:
    """Return a function that makes a machine with one disk and one partition, with changes."""

    def make(changes: Mapping[str, str]) -> Roots:
        for name, text in (MACHINE | changes).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        numbers = tmp_path / "sys/dev/block"
        numbers.mkdir(parents=True)
        (numbers / "8:400").symlink_to(tmp_path / DISK)
        (numbers / "8:401").symlink_to(tmp_path / DISK / "sdz1")
        return Roots.recorded(tmp_path)

    return make
