"""A scratch file without a name on the filesystem to measure: it disappears with its descriptor.

Its content is written, not only allocated, because unwritten blocks read as zeros without a disk
request. The content does not compress, and no two blocks are equal.
"""

import errno
import mmap
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from stallscope.errors import UnableError, UsageError
from stallscope.quantities import size_text

MIN_BYTES = 2**20
# Space of the filesystem that always stays free.
RESERVE_SHARE, MAX_RESERVE_BYTES = 0.1, 10 * 2**30
_PIECE_BYTES = 4 * 2**20
_FULL = (errno.ENOSPC, errno.EDQUOT)
_NO_TMPFILE = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL)
_READ_WRITE = os.O_RDWR | os.O_CLOEXEC

WriteProgress = Callable[[int, int], None]  # bytes written, bytes in total


@dataclass(frozen=True, slots=True)
class FilesystemSpace:
    """The space of a filesystem for this user, in bytes."""

    free_bytes: int
    size_bytes: int

    @property
    def reserve_bytes(self) -> int:
        """Return the space that stays free."""
        return min(round(self.size_bytes * RESERVE_SHARE), MAX_RESERVE_BYTES)


def filesystem_space(descriptor: int) -> FilesystemSpace:
    """Return the space of the filesystem of a descriptor."""
    status = os.fstatvfs(descriptor)
    return FilesystemSpace(status.f_bavail * status.f_frsize, status.f_blocks * status.f_frsize)


def check_space(space: FilesystemSpace, size_bytes: int, where: str) -> None:
    """Raise UsageError if a file size is too small, UnableError if there is no space for it."""
    if size_bytes < MIN_BYTES:
        raise UsageError(
            f"a file of {size_text(size_bytes)} is too small to measure a disk",
            f"use {size_text(MIN_BYTES)} or more",
        )
    available_bytes = max(0, space.free_bytes - space.reserve_bytes)
    if size_bytes > available_bytes:
        raise UnableError(
            f"{where}: no space for a file of {size_text(size_bytes)}:"
            f" {size_text(space.free_bytes)} are free, and {size_text(space.reserve_bytes)} are"
            " kept free",
            f"use at most {size_text(available_bytes)}, or a directory on another filesystem"
            if available_bytes >= MIN_BYTES
            else "free some space, or use a directory on another filesystem",
        )


def make_scratch_file(directory: int, where: str) -> int:
    """Return a new empty file without a name, open for reading and writing.

    If the filesystem does not support O_TMPFILE, the file is created with a name that is removed
    at once. Raises UnableError.
    """
    path = f"/proc/self/fd/{directory}"
    try:
        # O_EXCL prevents that the file is linked to a name later.
        return os.open(path, os.O_TMPFILE | os.O_EXCL | _READ_WRITE, 0o600)
    except OSError as error:
        if error.errno not in _NO_TMPFILE:
            raise _create_error(where, error) from error
    name = f".stallscope-{secrets.token_hex(8)}"
    flags = os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | _READ_WRITE
    try:
        descriptor = os.open(name, flags, 0o600, dir_fd=directory)
    except OSError as error:
        raise _create_error(where, error) from error
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=directory)
    return descriptor


def write_content(
    descriptor: int, size_bytes: int, where: str, progress: WriteProgress | None = None
) -> None:
    """Write whole pages of incompressible content, and wait for the disk.

    Raises UnableError if the disk is full or fails; the caller then closes and so removes the file.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    pool = np.frombuffer(secrets.token_bytes(_PIECE_BYTES), dtype=np.uint64)
    piece = mmap.mmap(-1, _PIECE_BYTES)  # page-aligned, as O_DIRECT requires
    words = np.frombuffer(piece, dtype=np.uint64)
    written = 0
    try:
        while written < size_bytes:
            # The multiplier is odd, so that every piece gets a different mask.
            mask = np.uint64((written // _PIECE_BYTES + 1) * 0x9E3779B97F4A7C15 % 2**64)
            np.bitwise_xor(pool, mask, out=words)
            view = memoryview(piece)[: min(_PIECE_BYTES, size_bytes - written)]
            written += os.pwrite(descriptor, view, written)
            view.release()
            if progress is not None:
                progress(written, size_bytes)
        os.fsync(descriptor)
    except OSError as error:
        raise _write_error(where, error, written, size_bytes) from error
    # Drops only the file's own pages from the page cache.
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


def _create_error(where: str, error: OSError) -> UnableError:
    if error.errno == errno.EROFS:
        return UnableError(
            f"{where}: is mounted read-only, so no scratch file can be created",
            "name a file in it, which is only read, or a directory on another filesystem",
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return UnableError(
            f"{where}: no permission to create a file", "use a directory that you own"
        )
    if error.errno in _FULL:
        return _write_error(where, error, 0, 0)
    return UnableError(f"{where}: cannot create a file: {error.strerror}", "use another directory")


def _write_error(where: str, error: OSError, written: int, size_bytes: int) -> UnableError:
    extent = f"after {size_text(written)} of {size_text(size_bytes)}" if size_bytes else "at once"
    if error.errno in _FULL:
        cause = "the disk is full" if error.errno == errno.ENOSPC else "the user's quota is full"
        return UnableError(
            f"{where}: {cause} {extent}; the scratch file was removed",
            "use a smaller file, or a directory on another filesystem",
        )
    return UnableError(
        f"{where}: writing the scratch file failed {extent}: {error.strerror}; it was removed",
        "see the kernel's log for errors of this disk",
    )
