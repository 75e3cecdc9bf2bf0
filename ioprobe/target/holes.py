"""Holes in files: unwritten blocks read as zeros without a disk request."""

import errno
import os

_MAX_EXTENTS = 4096  # blocks after these count as written


def hole_share(descriptor: int, size_bytes: int) -> float:
    """Return the share, 0..1, of a file that consists of holes or unwritten extents.

    All blocks count as written if the filesystem does not report holes.
    """
    hole_bytes = position = 0
    for _ in range(_MAX_EXTENTS):
        hole = _seek(descriptor, position, os.SEEK_HOLE, size_bytes)
        if hole >= size_bytes:
            break
        position = _seek(descriptor, hole, os.SEEK_DATA, size_bytes)
        hole_bytes += position - hole
        if position >= size_bytes:
            break
    return hole_bytes / size_bytes


def _seek(descriptor: int, position: int, whence: int, size_bytes: int) -> int:
    try:
        return min(os.lseek(descriptor, position, whence), size_bytes)
    except OSError as error:
        # ENXIO means no more data; any other error, that the filesystem does not report holes.
        if error.errno == errno.ENXIO:
            return size_bytes
        return size_bytes if whence == os.SEEK_HOLE else position
