"""Block devices as sysfs knows them: names, partitions, and who stands on them."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stallscope.system_files import Roots, names_in, read_integer, read_text

SECTOR_BYTES = 512  # sysfs counts in these, whatever the device's own are


@dataclass(frozen=True, slots=True)
class BlockDevice:
    """A disk, a partition or what stands for one; ``folder`` is its place in sysfs."""

    number: tuple[int, int]
    name: str  # as below /dev: "sda1", "mapper" devices as "dm-0"
    folder: Path
    size_bytes: int | None  # None where sysfs does not tell
    read_only: bool
    whole: str | None  # the name of the disk that a partition is part of

    @property
    def path(self) -> str:
        """Return the kernel's own name of its node."""
        return f"/dev/{self.name}"


def block_device(number: tuple[int, int], roots: Roots) -> BlockDevice | None:
    """Return the device of a number; None where sysfs has none of it."""
    link = roots.sys / "dev" / "block" / f"{number[0]}:{number[1]}"
    try:
        folder = link.resolve(strict=True)
    except (OSError, RuntimeError):
        return None
    sectors = read_integer(folder / "size")
    is_partition = (folder / "partition").exists()
    return BlockDevice(
        number,
        _name(folder),
        folder,
        None if sectors is None else sectors * SECTOR_BYTES,
        read_integer(folder / "ro") != 0,
        _name(folder.parent) if is_partition else None,
    )


def device_below(
    filesystem_number: tuple[int, int], source: str | None, roots: Roots
) -> BlockDevice | None:
    """Return the device that a filesystem is on: by its number, else by its mount's source.

    Some (btrfs) number their files apart from any device; None where a filesystem has none.
    """
    device = block_device(filesystem_number, roots)
    if device is not None or source is None or not source.startswith("/dev/"):
        return device
    try:
        status = Path(source).stat()
    except OSError:
        return None
    return block_device(node_number(status), roots) if stat.S_ISBLK(status.st_mode) else None


def node_number(status: os.stat_result) -> tuple[int, int]:
    """Return the number of the device that a node stands for."""
    return os.major(status.st_rdev), os.minor(status.st_rdev)


def partitions(device: BlockDevice, roots: Roots) -> Iterator[BlockDevice]:
    """Return the partitions that the kernel knows of a whole disk."""
    for name in names_in(device.folder):
        if not (device.folder / name / "partition").exists():
            continue
        major, _, minor = (read_text(device.folder / name / "dev", 64) or "").partition(":")
        if major.isdecimal() and minor.isdecimal():
            part = block_device((int(major), int(minor)), roots)
            if part is not None:
                yield part


def _name(folder: Path) -> str:
    """Nodes in folders, as cciss/c0d0, stand in sysfs with "!" in the place of "/"."""
    return folder.name.replace("!", "/")
