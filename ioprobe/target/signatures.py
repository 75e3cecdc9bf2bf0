"""Signatures on a device: filesystems, swap, members of RAID and LVM, partition tables.

libblkid (util-linux) searches an open descriptor, so that the device checked is the device written,
even if its path changes. A search reads a few hundred kilobytes.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

from stallscope.errors import UnableError

_LIBRARY = "libblkid.so.1"
_MAX_SIGNATURES = 64
_TAGS = (b"TYPE", b"PTTYPE")
_MATCH, _NO_MORE = 0, 1  # return values of blkid_do_probe


def signatures(descriptor: int, name: str) -> tuple[str, ...]:
    """Return the names of the signatures on a device, as "ext4" or "gpt".

    Raises UnableError if libblkid is missing or cannot read the device.
    """
    library = _load_library(name)
    with _probe(library, descriptor, name) as probe:
        names: list[str] = []
        for _ in range(_MAX_SIGNATURES):
            status = library.blkid_do_probe(probe)
            if status == _NO_MORE:
                return tuple(dict.fromkeys(names))
            if status != _MATCH:
                raise UnableError(
                    f"{name}: the search for filesystems failed, so nothing is written",
                    "see the kernel's log for read errors of this device",
                )
            names += _values(library, probe) or ["an unnamed signature"]
        return tuple(dict.fromkeys(names))


def _load_library(name: str) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(_LIBRARY)
    except OSError as error:
        raise UnableError(
            f"{name}: its content cannot be checked without {_LIBRARY}, so nothing is written",
            "install libblkid, a part of util-linux",
        ) from error
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    library.blkid_new_probe.restype = pointer
    library.blkid_free_probe.argtypes = (pointer,)
    library.blkid_free_probe.restype = None
    library.blkid_probe_set_device.argtypes = (pointer, ctypes.c_int, size, size)
    library.blkid_probe_enable_superblocks.argtypes = (pointer, ctypes.c_int)
    library.blkid_probe_enable_partitions.argtypes = (pointer, ctypes.c_int)
    library.blkid_do_probe.argtypes = (pointer,)
    library.blkid_probe_lookup_value.argtypes = (
        pointer,
        ctypes.c_char_p,
        ctypes.POINTER(ctypes.c_char_p),
        ctypes.POINTER(ctypes.c_size_t),
    )
    return library


@contextmanager
def _probe(library: ctypes.CDLL, descriptor: int, name: str) -> Iterator[ctypes.c_void_p]:
    probe = ctypes.c_void_p(library.blkid_new_probe())
    try:
        if (
            not probe
            or library.blkid_probe_set_device(probe, descriptor, 0, 0) != 0
            or library.blkid_probe_enable_superblocks(probe, 1) != 0
            or library.blkid_probe_enable_partitions(probe, 1) != 0
        ):
            raise UnableError(
                f"{name}: the search for filesystems failed, so nothing is written",
                "see the kernel's log for errors of this device",
            )
        yield probe
    finally:
        if probe:
            library.blkid_free_probe(probe)


def _values(library: ctypes.CDLL, probe: ctypes.c_void_p) -> list[str]:
    names: list[str] = []
    for tag in _TAGS:
        value, size = ctypes.c_char_p(), ctypes.c_size_t()
        if library.blkid_probe_lookup_value(probe, tag, value, size) == 0 and value.value:
            names.append(value.value.decode("ascii", "replace"))
    return names
