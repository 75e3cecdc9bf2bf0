"""A file of our own on somebody's filesystem: it has no name, so that nothing of it can stay.

Its content is written, not allocated: blocks that were never written read as zeros without a disk.
It does not compress, and no two blocks are the same.
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

SMALLEST_BYTES = 2**20
KEPT_SHARE, KEPT_AT_MOST_BYTES = 0.1, 10 * 2**30  # of a filesystem stays free, whatever is asked
_PIECE_BYTES = 4 * 2**20
_FULL = (errno.ENOSPC, errno.EDQUOT)
_NO_UNNAMED = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL)
_READ_WRITE = os.O_RDWR | os.O_CLOEXEC

Progress = Callable[[int, int], None]  # bytes written, of all


@dataclass(frozen=True, slots=True)
class Space:
    """The room of a filesystem for this user, in bytes."""

    free_bytes: int
    size_bytes: int

    @property
    def kept_bytes(self) -> int:
        """Return what stays free."""
        return min(round(self.size_bytes * KEPT_SHARE), KEPT_AT_MOST_BYTES)


def space_of(descriptor: int) -> Space:
    """Return the room of the filesystem that a descriptor is on."""
    status = os.fstatvfs(descriptor)
    return Space(status.f_bavail * status.f_frsize, status.f_blocks * status.f_frsize)


def check_space(space: Space, size_bytes: int, where: str) -> None:
    """Raise UsageError or UnableError where a file of that size is none, or has no room."""
    if size_bytes < SMALLEST_BYTES:
        raise UsageError(
            f"a file of {size_text(size_bytes)} is too small to measure a disk with",
            f"ask for {size_text(SMALLEST_BYTES)} or more",
        )
    room_bytes = max(0, space.free_bytes - space.kept_bytes)
    if size_bytes > room_bytes:
        raise UnableError(
            f"{where}: a file of {size_text(size_bytes)} has no room: {size_text(space.free_bytes)}"
            f" are free, of which {size_text(space.kept_bytes)} are kept",
            f"ask for at most {size_text(room_bytes)}, or name a directory of another filesystem"
            if room_bytes >= SMALLEST_BYTES
            else "free some space, or name a directory of another filesystem",
        )


def make_unnamed(directory: int, where: str) -> int:
    """Return a new empty file without a name, open for reading and writing.

    Where the filesystem knows none (O_TMPFILE), a named one is made and its name removed at once.
    Raises UnableError.
    """
    here = f"/proc/self/fd/{directory}"
    try:
        # O_EXCL: nobody can give it a name later.
        return os.open(here, os.O_TMPFILE | os.O_EXCL | _READ_WRITE, 0o600)
    except OSError as error:
        if error.errno not in _NO_UNNAMED:
            raise _not_made(where, error) from error
    name = f".stallscope-{secrets.token_hex(8)}"
    opener = os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | _READ_WRITE
    try:
        made = os.open(name, opener, 0o600, dir_fd=directory)
    except OSError as error:
        raise _not_made(where, error) from error
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=directory)
    return made


def write_content(
    descriptor: int, size_bytes: int, where: str, progress: Progress | None = None
) -> None:
    """Write a whole number of pages of content that does not compress, and wait for the disk.

    Raises UnableError where the disk is full or fails in the middle; the caller closes, and with
    that the file is gone.
    """
    import numpy as np  # noqa: PLC0415 - heavy

    pool = np.frombuffer(secrets.token_bytes(_PIECE_BYTES), dtype=np.uint64)
    piece = mmap.mmap(-1, _PIECE_BYTES)  # whole pages, as O_DIRECT wants them
    words = np.frombuffer(piece, dtype=np.uint64)
    written = 0
    try:
        while written < size_bytes:
            # An odd multiplier: every piece has a mask of its own.
            mask = np.uint64((written // _PIECE_BYTES + 1) * 0x9E3779B97F4A7C15 % 2**64)
            np.bitwise_xor(pool, mask, out=words)
            part = memoryview(piece)[: min(_PIECE_BYTES, size_bytes - written)]
            written += os.pwrite(descriptor, part, written)
            part.release()
            if progress is not None:
                progress(written, size_bytes)
        os.fsync(descriptor)
    except OSError as error:
        raise _not_written(where, error, written, size_bytes) from error
    # The file's own pages only: nobody else's leave the page cache.
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


def _not_made(where: str, error: OSError) -> UnableError:
    if error.errno == errno.EROFS:
        return UnableError(
            f"{where}: is mounted read-only, so no file of our own can be made there",
            "name a file in it, which is only read, or a directory of another filesystem",
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return UnableError(
            f"{where}: this user may not make a file there", "name a directory of your own"
        )
    if error.errno in _FULL:
        return _not_written(where, error, 0, 0)
    return UnableError(
        f"{where}: a file cannot be made there: {error.strerror}", "name another directory"
    )


def _not_written(where: str, error: OSError, written: int, size_bytes: int) -> UnableError:
    done = f"after {size_text(written)} of {size_text(size_bytes)}" if size_bytes else "at once"
    if error.errno in _FULL:
        what = "the disk is full" if error.errno == errno.ENOSPC else "this user's quota is full"
        return UnableError(
            f"{where}: {what} {done} were written; the file is gone again",
            "ask for a smaller file, or name a directory of another filesystem",
        )
    return UnableError(
        f"{where}: writing our own file failed {done}: {error.strerror}; the file is gone again",
        "see the kernel's log for errors of this disk",
    )
