"""Directories for output in which no other user can redirect what root writes.

If another user could replace a directory on the way to a file, root would write to a place of that
user's choice. For root, each directory from / to the file must therefore belong to a trusted user,
as must the symbolic links on the way, and only a sticky directory may be writable by others. The
trusted users are root and the user who started sudo, who may run commands as root anyway (git
trusts the same user). For other users, the permissions of the files decide.

native/base/output_directory.hpp applies the same rule.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_MAX_LINKS = 40  # as the kernel's MAXSYMLINKS
_OPEN = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def open_place(folder: Path) -> Iterator[int]:
    """Yield an O_PATH descriptor of an existing directory for output.

    Raises PermissionError, with the reason as ``strerror``, if root cannot trust the path.
    """
    if os.geteuid() == 0:
        descriptor = _descend(folder)
    else:
        descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def make_output_directory(path: Path) -> None:
    """Create a directory for output with mode 0700.

    Raises FileExistsError if a directory exists there that only this user can write to,
    NotADirectoryError for a symbolic link or file, and PermissionError for another directory.
    """
    with open_place(path.parent) as parent:
        name = path.name or "."
        try:
            os.mkdir(name, 0o700, dir_fd=parent)
        except FileExistsError:
            existing = os.open(name, _OPEN, dir_fd=parent)
            try:
                check_own_directory(existing, str(path))
            finally:
                os.close(existing)
            raise


def check_own_directory(descriptor: int, name: str) -> None:
    """Raise OSError unless this is a directory that only this user, or one of equal power, writes.

    Raises NotADirectoryError or PermissionError, with the reason as ``strerror``.
    """
    status = os.fstat(descriptor)
    if stat.S_ISLNK(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "it is a symbolic link", name)
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "it is not a directory", name)
    if status.st_uid != os.geteuid() and status.st_uid not in trusted_users():
        raise PermissionError(errno.EPERM, f"it belongs to the user {status.st_uid}", name)
    if status.st_mode & stat.S_IWOTH:
        raise PermissionError(errno.EPERM, "all users may write to it", name)


def _descend(folder: Path) -> int:
    """Return an O_PATH descriptor of a directory after checking each directory on the way."""
    walk = _Walk(trusted_users())
    try:
        walk.descend(list(folder.absolute().parts[1:]))
    except BaseException:
        os.close(walk.descriptor)
        raise
    return walk.descriptor


class _Walk:
    """The last directory of a walk from /, open, and its name for messages."""

    def __init__(self, trusted: frozenset[int]) -> None:
        self._trusted = trusted
        self.name = Path("/")
        self.descriptor = os.open("/", _OPEN)

    def descend(self, parts: list[str]) -> None:
        """Continue with these components; PermissionError at one that root cannot trust."""
        remaining, links = parts[::-1], 0
        self._check(self.descriptor, self.name)
        while remaining:
            component = remaining.pop()
            entry = os.open(component, _OPEN, dir_fd=self.descriptor)
            try:
                self._check(entry, self.name / component)
                if not stat.S_ISLNK(os.fstat(entry).st_mode):
                    self._move(entry, self.name / component)
                    continue
                target = os.readlink("", dir_fd=entry)
            except BaseException:
                os.close(entry)
                raise
            links += 1
            if links > _MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(self.name / component))
            if target.startswith("/"):
                self._move(os.open("/", _OPEN), Path("/"))
            os.close(entry)
            remaining += [word for word in target.split("/") if word not in ("", ".")][::-1]

    def _move(self, descriptor: int, name: Path) -> None:
        os.close(self.descriptor)
        self.descriptor, self.name = descriptor, name

    def _check(self, entry: int, name: Path) -> None:
        if reason := _distrust(os.fstat(entry), self._trusted):
            raise PermissionError(errno.EPERM, f"{name} {reason}", str(name))


def _distrust(status: os.stat_result, trusted: frozenset[int]) -> str:
    """Return why another user could redirect what root writes below; "" if none could."""
    if status.st_uid not in trusted:
        return f"belongs to the user {status.st_uid}, who could redirect what root writes"
    if stat.S_ISLNK(status.st_mode) or status.st_mode & stat.S_ISVTX:
        return ""
    if status.st_mode & stat.S_IWOTH:
        return "is writable by all users and not sticky"
    # A group with the number of a user is that user's private group.
    if status.st_mode & stat.S_IWGRP and status.st_gid not in trusted:
        return f"is writable by the group {status.st_gid} and not sticky"
    return ""


def trusted_users() -> frozenset[int]:
    """Return the users who may own directories below which root writes."""
    sudo_user = os.environ.get("SUDO_UID", "")
    users = {0} | ({int(sudo_user)} if sudo_user.isascii() and sudo_user.isdecimal() else set())
    return frozenset(users | _unmapped_user())


def _unmapped_user() -> set[int]:
    """Return the number that users outside of this user namespace appear to have.

    Empty if a user inside can have that number, as in the first user namespace.
    """
    overflow = int(Path("/proc/sys/kernel/overflowuid").read_text())
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        first, _, count = map(int, line.split())
        if first <= overflow < first + count:
            return set()
    return {overflow}
