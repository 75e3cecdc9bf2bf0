"""Reading and writing one setting's file, with every error that the kernel reports.

A value is written by a single write(2). Python's file objects would lose its EINVAL, which is
raised in close and dropped at collection.

Files of a recorded machine are untrusted. They are opened below their root, so that no link leads
out of the tree; they must be regular files with one name. They are written so that they contain the
old or the new value at any time, even if the writer is killed, and never more bytes than a value
has: a file that contains anything but a value and a newline is rejected before it is changed.
"""

import errno
import os
import stat
from pathlib import Path

from stallscope.system_calls import PROC_MAGIC, SYSFS_MAGIC, file_system_type, open_beneath
from stallscope.system_files import Roots

MAX_VALUE_BYTES = 4096  # the page that sysfs reads and writes at once
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_WRITE = os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW


def host_path(roots: Roots, path: str) -> Path:
    """Return the path below these roots that stands for a live machine's path."""
    root, inside = _root_of(roots, path)
    return root / inside


def _root_of(roots: Roots, path: str) -> tuple[Path, str]:
    for prefix, root in (("/sys/", roots.sys), ("/proc/", roots.proc), ("/", roots.files)):
        if path.startswith(prefix):
            return root, path.removeprefix(prefix)
    raise ValueError(path)


def read_value(roots: Roots, path: str) -> str | None:
    """Return a setting's value without its newline; None if it has none or cannot be read."""
    try:
        return read_setting(roots, path)
    except OSError:
        return None


def read_setting(roots: Roots, path: str) -> str:
    """Return a setting's value without its newline; raises OSError with the reason if it fails."""
    descriptor = _open(roots, path, _READ)
    try:
        return _value_of(_content(descriptor))
    finally:
        os.close(descriptor)


def is_restorable(roots: Roots, path: str) -> bool:
    """Return whether writing back the value restores every byte of the file.

    The kernel formats its own files. Raises OSError if the file cannot be read.
    """
    descriptor = _open(roots, path, _READ)
    try:
        content = _content(descriptor)
        return content == _value_of(content).encode() + b"\n" or _is_kernel_file(descriptor)
    finally:
        os.close(descriptor)


def write_value(roots: Roots, path: str, value: str) -> str:
    """Return the value read back after writing; raises OSError if the kernel rejects it."""
    descriptor = _open(roots, path, _WRITE)
    try:
        if roots.is_live or _is_kernel_file(descriptor):
            content = value.encode()
            _check_written(os.write(descriptor, content), len(content))
        else:
            _write_regular(descriptor, value)
    finally:
        os.close(descriptor)
    return read_setting(roots, path)


def _open(roots: Roots, path: str, flags: int) -> int:
    root, inside = _root_of(roots, path)
    if roots.is_live:
        return os.open(root / inside, flags | os.O_CLOEXEC)
    # The root's last component must not be a link either: a tree may come from another machine.
    directory = os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return open_beneath(directory, inside, flags)
    finally:
        os.close(directory)


def _is_kernel_file(descriptor: int) -> bool:
    """Return whether the kernel makes the file's content, as below a sysfs mounted elsewhere."""
    return file_system_type(descriptor) in (SYSFS_MAGIC, PROC_MAGIC)


def _content(descriptor: int) -> bytes:
    """Return the whole content of a setting's file; OSError (EFBIG) if it exceeds a value."""
    content = b""
    while chunk := os.read(descriptor, MAX_VALUE_BYTES + 1 - len(content)):
        content += chunk
        if len(content) > MAX_VALUE_BYTES:
            raise OSError(errno.EFBIG, f"more than {MAX_VALUE_BYTES} bytes")
    return content


def _value_of(content: bytes) -> str:
    try:
        return content.decode().strip("\0 \t\r\n")
    except UnicodeDecodeError as error:
        raise OSError(errno.EILSEQ, "the value is not text") from error


def _write_regular(descriptor: int, value: str) -> None:
    """Write the value padded with newlines in one step, then cut the padding."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        raise OSError(errno.EINVAL, "not a regular file with one name")
    if status.st_size > MAX_VALUE_BYTES:
        raise OSError(errno.EFBIG, f"more than {MAX_VALUE_BYTES} bytes")
    content = value.encode() + b"\n"
    padded = content.ljust(status.st_size, b"\n")
    _check_written(os.pwrite(descriptor, padded, 0), len(padded))
    os.ftruncate(descriptor, len(content))


def _check_written(written: int, length: int) -> None:
    if written != length:
        raise OSError(errno.EIO, f"only {written} of {length} bytes were written")
