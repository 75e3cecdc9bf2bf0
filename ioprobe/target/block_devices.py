"""Block devices in sysfs: names, sizes and partitions."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stallscope.system_files import Roots, names_in, read_integer, read_text

SECTOR_BYTES = 512  # the unit of sysfs, independent of the device's block size


@dataclass(frozen=True, slots=True)
class BlockDevice:
    """A disk, a partition or a virtual block device; ``folder`` is its directory in sysfs."""

    number: tuple[int, int]
    name: str  # as below /dev: "sda1"; device-mapper devices as "dm-0"
    folder: Path
    size_bytes: int | None  # None if sysfs does not report it
    read_only: bool
    whole: str | None  # the disk's name, for a partition

    @property
    def path(self) -> str:
        """Return the kernel's path of the device node."""
        return f"/dev/{self.name}"


def block_device(number: tuple[int, int], roots: Roots) -> BlockDevice | None:
    """Return the device with a number; None if sysfs does not list it."""
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
    """Return the device of a filesystem, by its number or else by its mount's source.

    Some filesystems, as btrfs, use numbers of no device. The result is None if the filesystem has
    no device.
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
    """Return the device number of a device node."""
    return os.major(status.st_rdev), os.minor(status.st_rdev)


def partitions(device: BlockDevice, roots: Roots) -> Iterator[BlockDevice]:
    """Yield the partitions of a whole disk that the kernel knows."""
    for name in names_in(device.folder):
        if not (device.folder / name / "partition").exists():
            continue
        if partition := device_of_folder(device.folder / name, roots):
            yield partition


def device_of_folder(folder: Path, roots: Roots) -> BlockDevice | None:
    """Return the device of a directory in sysfs; None if it is none that the kernel knows."""
    major, _, minor = (read_text(folder / "dev", 64) or "").partition(":")
    if not major.isdecimal() or not minor.isdecimal():
        return None
    return block_device((int(major), int(minor)), roots)


def _name(folder: Path) -> str:
    """Return the device's name; sysfs writes "!" for "/", as in cciss!c0d0."""
    return folder.name.replace("!", "/")
