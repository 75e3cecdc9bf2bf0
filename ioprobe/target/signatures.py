"""Signatures on a device: filesystems, swap, members of RAID and LVM, partition tables.

libblkid (util-linux) knows them, and is asked about an open descriptor: what is checked is what
will be written, whatever stands at the path by then. Probing reads some hundred kilobytes.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

from stallscope.errors import UnableError

_LIBRARY = "libblkid.so.1"
_MOST = 64  # signatures of one device
_KINDS = (b"TYPE", b"PTTYPE")
_FOUND, _NO_MORE = 0, 1


def signatures(descriptor: int, name: str) -> tuple[str, ...]:
    """Return the names of what is known on a device, as "ext4" or "gpt"; empty for none.

    Raises UnableError where libblkid is missing or could not read the device.
    """
    library = _library(name)
    with _probe(library, descriptor, name) as probe:
        found: list[str] = []
        for _ in range(_MOST):
            answer = library.blkid_do_probe(probe)
            if answer == _NO_MORE:
                return tuple(dict.fromkeys(found))
            if answer != _FOUND:
                raise UnableError(
                    f"{name}: could not be searched for filesystems, so it is not written",
                    "see the kernel's log for read errors of this device",
                )
            found += _values(library, probe) or ["something unnamed"]
        return tuple(dict.fromkeys(found))


def _library(name: str) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(_LIBRARY)
    except OSError as error:
        raise UnableError(
            f"{name}: without {_LIBRARY} nobody can say what is on it, so it is not written",
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
                f"{name}: could not be searched for filesystems, so it is not written",
                "see the kernel's log for what this device answers",
            )
        yield probe
    finally:
        if probe:
            library.blkid_free_probe(probe)


def _values(library: ctypes.CDLL, probe: ctypes.c_void_p) -> list[str]:
    names: list[str] = []
    for kind in _KINDS:
        value, size = ctypes.c_char_p(), ctypes.c_size_t()
        if library.blkid_probe_lookup_value(probe, kind, value, size) == 0 and value.value:
            names.append(value.value.decode("ascii", "replace"))
    return names
