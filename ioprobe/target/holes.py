"""How much of a file was never written: such blocks read as zeros, and no disk is asked."""

import errno
import os

_MOST_EXTENTS = 4096  # looked at; what comes after them is taken for written


def hole_share(descriptor: int, size_bytes: int) -> float:
    """Return the share, 0..1, of a file that is holes or was allocated and never written.

    Where the filesystem does not tell, all counts as written.
    """
    holes = at = 0
    for _ in range(_MOST_EXTENTS):
        hole = _seek(descriptor, at, os.SEEK_HOLE, size_bytes)
        if hole >= size_bytes:
            break
        at = _seek(descriptor, hole, os.SEEK_DATA, size_bytes)
        holes += at - hole
        if at >= size_bytes:
            break
    return holes / size_bytes


def _seek(descriptor: int, at: int, whence: int, size_bytes: int) -> int:
    try:
        return min(os.lseek(descriptor, at, whence), size_bytes)
    except OSError as error:
        # ENXIO: no data beyond; anything else: the filesystem does not tell holes.
        if error.errno == errno.ENXIO:
            return size_bytes
        return size_bytes if whence == os.SEEK_HOLE else at
