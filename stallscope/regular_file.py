"""Safe opening of untrusted files: only regular files are read, within their size.

A target controls its paths: links out of its root, pipes that never answer, devices that act when
opened, files that shrink while they are read. A path is therefore first opened with O_PATH, which
has no effect, then checked, and only then opened for reading. Reading is ``pread`` into memory,
because a mapped file that shrinks would end the reader with SIGBUS.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from stallscope.closing import Closing
from stallscope.errors import StallscopeError, UsageError

_MAX_LINKS = 40  # as the kernel's MAXSYMLINKS


class RefusedFileError(StallscopeError):
    """A file is missing, not regular, not readable, or shorter than expected."""


class MissingFileError(RefusedFileError):
    """A file does not exist, or no longer."""


class ByteSource(Protocol):
    """Bytes with a name and a size: a regular file or an image in memory."""

    @property
    def name(self) -> str:
        """Return the name for messages."""

    @property
    def size(self) -> int:
        """Return the size in bytes."""

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly ``length`` bytes at ``offset``; RefusedFileError if there are fewer."""


class MemoryImage:
    """Bytes in memory: the vdso or a decompressed file."""

    def __init__(self, name: str, content: bytes) -> None:
        """Set the name for messages and the bytes."""
        self.name = name
        self.size = len(content)
        self._content = content

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly ``length`` bytes at ``offset``; RefusedFileError if there are fewer."""
        _check_range(self, offset, length)
        return self._content[offset : offset + length]


class RegularFile(Closing):
    """A regular file open for reading; a context manager that closes its descriptor."""

    def __init__(self, descriptor: int, name: str) -> None:
        """Take ownership of an open descriptor."""
        self.descriptor = descriptor
        self.name = name
        self.status = os.fstat(descriptor)
        self.size = self.status.st_size

    def close(self) -> None:
        """Close the descriptor; a second call does nothing."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly ``length`` bytes at ``offset``; RefusedFileError if there are fewer."""
        _check_range(self, offset, length)
        parts: list[bytes] = []
        while length > 0:
            try:
                chunk = os.pread(self.descriptor, length, offset)
            except OSError as error:
                raise RefusedFileError(f"{self.name}: {error.strerror} at {offset}") from error
            if not chunk:
                raise RefusedFileError(f"{self.name}: became shorter while it was read")
            parts.append(chunk)
            offset += len(chunk)
            length -= len(chunk)
        return parts[0] if len(parts) == 1 else b"".join(parts)


def _check_range(source: ByteSource, offset: int, length: int) -> None:
    if offset < 0 or length < 0 or offset + length > source.size:
        raise RefusedFileError(
            f"{source.name}: {length} bytes at {offset} exceed {source.size} bytes"
        )


def read_named_file(path: Path, limit_bytes: int, remedy: str) -> bytes:
    """Return the content of a file that the user named. Raises UsageError with ``remedy``.

    A pipe, which might never answer, is refused and not waited for.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UsageError(f"{path} is not a regular file", remedy)
            content = file.read(limit_bytes + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", remedy) from error
    if len(content) > limit_bytes:
        raise UsageError(f"{path} is larger than {limit_bytes} bytes", remedy)
    return content


def open_regular(path: str | bytes | Path) -> RegularFile:
    """Return the regular file at a trusted path, following links; RefusedFileError otherwise."""
    with _opened_path(path) as descriptor:
        return _reopen(descriptor, os.fsdecode(path))


def open_in_root(
    root: str | bytes | Path, path: bytes, *, link_owners: frozenset[int] | None = None
) -> RegularFile:
    """Return the regular file at ``path`` below ``root``; no link leads out of ``root``.

    Absolute links and ``..`` are resolved against ``root`` as after chroot(2). With
    ``link_owners`` the last component must not be a link at all, and a link on the way must
    belong to one of these users. Raises RefusedFileError.
    """
    name = os.fsdecode(os.fsencode(root).rstrip(b"/") + b"/" + path.lstrip(b"/"))
    with _opened_path(root, os.O_DIRECTORY) as root_descriptor:
        walk = _Walk(root_descriptor, name, link_owners)
        try:
            return _reopen(walk.descend(path), name)
        except OSError as error:
            raise _refused(name, error) from error
        finally:
            walk.close()


class _Walk:
    """The path of directories below a root, by descriptors, so that ``..`` cannot be raced."""

    def __init__(self, root: int, name: str, link_owners: frozenset[int] | None) -> None:
        self._stack = [root]
        self._name = name
        self._link_owners = link_owners
        self._links = 0

    def close(self) -> None:
        """Close all descriptors but the root's."""
        for descriptor in self._stack[1:]:
            os.close(descriptor)
        del self._stack[1:]

    def descend(self, path: bytes) -> int:
        """Return an O_PATH descriptor of ``path``; it is closed by ``close``."""
        remaining = [name for name in path.split(b"/") if name not in (b"", b".")][::-1]
        while remaining:
            component = remaining.pop()
            if component == b"..":
                if len(self._stack) > 1:
                    os.close(self._stack.pop())
                continue
            entry = os.open(
                component, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._stack[-1]
            )
            status = os.fstat(entry)
            if not stat.S_ISLNK(status.st_mode):
                self._stack.append(entry)
                continue
            try:
                self._check_link(status.st_uid, last=not remaining)
                target = os.readlink(b"", dir_fd=entry)
            finally:
                os.close(entry)
            if target.startswith(b"/"):
                self.close()
            remaining += [name for name in target.split(b"/") if name not in (b"", b".")][::-1]
        return self._stack[-1]

    def _check_link(self, owner: int, *, last: bool) -> None:
        self._links += 1
        if self._links > _MAX_LINKS:
            raise RefusedFileError(f"{self._name}: more than {_MAX_LINKS} symbolic links")
        if self._link_owners is not None and (last or owner not in self._link_owners):
            raise RefusedFileError(f"{self._name}: a symbolic link is not followed here")


@contextmanager
def _opened_path(path: str | bytes | Path, flags: int = 0) -> Iterator[int]:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC | flags)
    except (OSError, ValueError) as error:
        raise _refused(os.fsdecode(path), error) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _reopen(descriptor: int, name: str) -> RegularFile:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise RefusedFileError(f"{name}: not a regular file")
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        return RegularFile(os.open(f"/proc/self/fd/{descriptor}", flags), name)
    except OSError as error:
        raise _refused(name, error) from error


def _refused(name: str, error: OSError | ValueError) -> RefusedFileError:
    if isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM):
        return RefusedFileError(f"{name}: permission denied", "Run as root.")
    if isinstance(error, OSError) and error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ESRCH):
        return MissingFileError(f"{name}: does not exist")
    return RefusedFileError(f"{name}: {getattr(error, 'strerror', None) or error}")
