"""Identities of files from which cached data are derived, and which files are trusted for that.

A process decides what lies below its own root, and a recording may come from anywhere. Data derived
from such files are used for one analysis only. Data are cached if every file that was read has the
same path on this system's root, and belongs to root or to the user who reads it.
"""

import os
from functools import cache
from pathlib import Path

from msgspec import Struct

from stallscope.regular_file import RegularFile


class FileIdentity(Struct, frozen=True):
    """A file on this system's root as it was read; any change of the file changes it."""

    path: bytes
    device: int
    inode: int
    size_bytes: int
    modified_ns: int
    changed_ns: int  # ctime, which the owner cannot set back

    def is_current(self) -> bool:
        """Return whether the path still has this file, unchanged."""
        try:
            return _identity(self.path, os.stat(self.path)) == self  # noqa: PTH116 - bytes
        except (OSError, ValueError):
            return False


def _identity(path: bytes, status: os.stat_result) -> FileIdentity:
    return FileIdentity(
        path,
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def host_identity(file: RegularFile, path: bytes | None) -> FileIdentity | None:
    """Return the identity of an open file, None if ``path`` on this system's root is another."""
    if path is None:
        return None
    try:
        identity = _identity(path, os.stat(path))  # noqa: PTH116 - bytes
    except (OSError, ValueError):
        return None
    return identity if identity == _identity(path, file.status) else None


def is_trusted(file: RegularFile) -> bool:
    """Return whether root or this user owns the file, on a file system that reports true owners."""
    device = file.status.st_dev
    is_ours = file.status.st_uid in (0, os.geteuid())
    return is_ours and (os.major(device), os.minor(device)) not in _unprivileged_devices()


@cache
def _unprivileged_devices() -> frozenset[tuple[int, int]]:
    """Return the devices of FUSE mounts, whose owners are what a user's process reports."""
    devices = set()
    try:
        mounts = Path("/proc/self/mountinfo").read_bytes()
    except OSError:
        return frozenset()
    for line in mounts.splitlines():
        fields, _, source = line.partition(b" - ")
        if source.startswith(b"fuse"):
            major, _, minor = fields.split()[2].partition(b":")
            devices.add((int(major), int(minor)))
    return frozenset(devices)
