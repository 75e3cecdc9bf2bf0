"""Devices to watch: those with a request queue by requests, the others by bios."""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ioprobe.target.block_devices import BlockDevice, block_device, node_number, partitions
from stallscope.errors import UsageError
from stallscope.system_files import Roots, names_in, read_text

_STAT_FIELDS = (("reads", 0), ("read_merges", 1), ("writes", 4), ("write_merges", 5))


@dataclass(frozen=True, slots=True)
class WatchedDevice:
    """A whole disk; numbers are in the kernel's format: major << 20 | minor."""

    name: str
    number: int
    bio_based: bool  # without a request queue: zram, device mapper, md
    size_bytes: int | None
    partitions: tuple[int, ...]

    @property
    def major_minor(self) -> str:
        """Return the number as "major:minor"."""
        return f"{self.number >> 20}:{self.number & 0xFFFFF}"


def kernel_number(number: tuple[int, int]) -> int:
    """Return a device number in the format of tracepoints."""
    return number[0] << 20 | number[1]


def all_devices(roots: Roots) -> tuple[WatchedDevice, ...]:
    """Return every disk in sysfs, sorted by name."""
    devices: dict[str, WatchedDevice] = {}
    for text in names_in(roots.sys / "dev" / "block"):
        device = _device(text, roots)
        if device is not None and device.whole is None:
            devices[device.name] = _watched(device, roots)
    return tuple(devices[name] for name in sorted(devices))


def named_devices(
    words: Sequence[str], roots: Roots
) -> tuple[tuple[WatchedDevice, ...], tuple[str, ...]]:
    """Return the disks that words name, and notes on partitions.

    A word is a device's name, its node, or a file or directory on it. Raises UsageError if there
    is no such device.
    """
    chosen: dict[int, WatchedDevice] = {}
    notes = []
    for word in words:
        device = _device_of_word(word, roots)
        if device.whole is not None:
            notes.append(f"{device.name} is part of {device.whole}: the whole disk is watched")
            number = _parse_number(read_text(device.folder.parent / "dev", 64) or "")
            whole = None if number is None else block_device(number, roots)
            device = whole or device
        chosen[kernel_number(device.number)] = _watched(device, roots)
    return tuple(chosen.values()), tuple(dict.fromkeys(notes))


def kernel_request_counts(device: WatchedDevice, roots: Roots) -> dict[str, int] | None:
    """Return the kernel's counters of completed requests and of merges; None without counters.

    See Documentation/admin-guide/iostats.rst.
    """
    folder = roots.sys / "block" / device.name.replace("/", "!")
    words = (read_text(folder / "stat", 4096) or "").split()
    if len(words) < 11 or not all(word.isdecimal() for word in words):
        return None
    if read_text(folder / "queue" / "iostats", 64) == "0":
        return None
    return {name: int(words[index]) for name, index in _STAT_FIELDS}


def _device_of_word(word: str, roots: Roots) -> BlockDevice:
    for path in (Path("/dev") / word, Path(word)) if word else ():
        try:
            status = path.stat()
        except (OSError, ValueError):
            continue
        is_node = stat.S_ISBLK(status.st_mode)
        filesystem = os.major(status.st_dev), os.minor(status.st_dev)
        device = block_device(node_number(status) if is_node else filesystem, roots)
        if device is not None:
            return device
    raise UsageError(
        f"{word} is not a block device or a path on one",
        "name a device, such as /dev/vda; lsblk lists them",
    )


def _device(text: str, roots: Roots) -> BlockDevice | None:
    number = _parse_number(text)
    return None if number is None else block_device(number, roots)


def _parse_number(text: str) -> tuple[int, int] | None:
    major, _, minor = text.partition(":")
    if major.isdecimal() and minor.isdecimal() and len(text) < 24:
        return int(major), int(minor)
    return None


def _watched(device: BlockDevice, roots: Roots) -> WatchedDevice:
    return WatchedDevice(
        name=device.name,
        number=kernel_number(device.number),
        bio_based=not names_in(device.folder / "mq"),
        size_bytes=device.size_bytes,
        partitions=tuple(
            kernel_number(partition.number) for partition in partitions(device, roots)
        ),
    )
