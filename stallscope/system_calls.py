"""Linux system calls that Python's ``os`` does not have, by number (the same on x86-64 and arm64).

Only the standard library is used, because guardians run isolated from installed packages.
"""

import ctypes
import errno
import os
from functools import cache

_OPENAT2 = 437
_FSOPEN, _FSCONFIG, _FSMOUNT = 430, 431, 432
_AT_FDCWD = -100
_RESOLVE_NO_MAGICLINKS, _RESOLVE_BENEATH = 0x02, 0x08
_CLOEXEC, _CONFIG_CREATE = 1, 6
SYSFS_MAGIC, PROC_MAGIC = 0x62656572, 0x9FA0  # linux/magic.h
_STATFS_BYTES = 256  # struct statfs has 120
_MAX_ATTEMPTS = 32  # the kernel returns EAGAIN if a directory was renamed during the lookup


class _OpenHow(ctypes.Structure):
    """``struct open_how`` of openat2(2)."""

    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


@cache
def _c_library() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library


def _call(number: int, *arguments: object) -> int:
    result = int(_c_library().syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


@cache
def has_openat2() -> bool:
    """Return whether openat2(2) works here: Linux 5.6, and no seccomp filter that rejects it."""
    try:
        os.close(_openat2(_AT_FDCWD, ".", os.O_PATH | os.O_DIRECTORY))
    except OSError as error:
        if error.errno in (errno.ENOSYS, errno.EPERM, errno.EINVAL):
            return False
    return True


def _openat2(directory: int, path: str, flags: int) -> int:
    how = _OpenHow(flags | os.O_CLOEXEC, 0, _RESOLVE_BENEATH | _RESOLVE_NO_MAGICLINKS)
    return _call(
        _OPENAT2,
        ctypes.c_int(directory),
        ctypes.c_char_p(os.fsencode(path)),
        ctypes.byref(how),
        ctypes.c_size_t(ctypes.sizeof(how)),
    )


def open_beneath(directory: int, path: str, flags: int) -> int:
    """Return a descriptor of an existing file below a directory; no link leads out of it.

    ``path`` is relative. Raises OSError: EXDEV if a link or ``..`` leads out. Without openat2(2)
    no link is followed at all.
    """
    if not has_openat2():
        return _open_without_links(directory, path, flags)
    for _ in range(_MAX_ATTEMPTS):
        try:
            return _openat2(directory, path, flags)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EINTR):
                raise
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def _open_without_links(directory: int, path: str, flags: int) -> int:
    *folders, name = [word for word in path.split("/") if word not in ("", ".")] or ["."]
    if path.startswith("/") or ".." in (*folders, name):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    here = os.dup(directory)
    try:
        for folder in folders:
            inner = os.open(
                folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here
            )
            os.close(here)
            here = inner
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
    finally:
        os.close(here)


def file_system_type(descriptor: int) -> int:
    """Return the magic number of a file's file system, by fstatfs(2)."""
    buffer = ctypes.create_string_buffer(_STATFS_BYTES)
    if _c_library().fstatfs(ctypes.c_int(descriptor), buffer) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return ctypes.c_long.from_buffer(buffer).value


def detached_mount(file_system: str) -> int:
    """Return a descriptor of the root of a new mount that is visible nowhere and ends with it.

    Raises OSError: EPERM without CAP_SYS_ADMIN in the initial user namespace, ENOSYS before
    Linux 5.2.
    """
    context = _call(_FSOPEN, ctypes.c_char_p(file_system.encode()), ctypes.c_uint(_CLOEXEC))
    try:
        _call(
            _FSCONFIG,
            ctypes.c_int(context),
            ctypes.c_uint(_CONFIG_CREATE),
            ctypes.c_void_p(None),
            ctypes.c_void_p(None),
            ctypes.c_int(0),
        )
        return _call(_FSMOUNT, ctypes.c_int(context), ctypes.c_uint(_CLOEXEC), ctypes.c_uint(0))
    finally:
        os.close(context)
