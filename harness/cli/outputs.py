"""Writing result files: whole or not at all, and never through a stranger's link."""

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from stallscope.errors import StallscopeError, UnableError, UsageError

_STDOUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
# Names that the system gives to what is open already: replacing one would take it from everyone.
_SYSTEM_FOLDERS = ("/dev", "/dev/fd", "/proc/self/fd")


def write_whole(path: Path, parts: Iterable[str | bytes]) -> None:
    """Write text in UTF-8, or bytes, to a file that has its name only when it is whole.

    The file is made beside its final name with O_EXCL and put in place by a rename, which replaces
    a link instead of following it; who could not read the file before cannot read the new one. "-"
    is stdout; pipes and what takes characters are written to as they stand, disks never. Lone
    surrogates become "?". Raises UsageError where the place cannot be written, UnableError where
    the disk is full.
    """
    if str(path) in _STDOUT:
        sys.stdout.flush()
        for part in parts:
            sys.stdout.buffer.write(_encoded(part))
        sys.stdout.buffer.flush()
        return
    try:
        if _is_stream(path):
            flags = os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC
            _write(os.open(path, flags), parts)
        else:
            _replace(path, parts)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _failed(path, error) from error


def check_place(path: Path) -> None:
    """Raise UsageError where a file could not be written, before what is to be in it is made."""
    if str(path) in _STDOUT or _is_stream(path):
        return
    folder = path.absolute().parent
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
        number = errno.EACCES if folder.is_dir() else errno.ENOENT
        raise _failed(path, OSError(number, os.strerror(number)))


def _is_stream(path: Path) -> bool:
    """Return whether something stands there that must be written to, not replaced."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise UsageError(f"cannot write {path}: it is a directory", "name a file in it")
    if stat.S_ISBLK(mode):
        raise UsageError(f"cannot write {path}: it is a block device", "name a file")
    return not stat.S_ISREG(mode) or str(path.absolute().parent) in _SYSTEM_FOLDERS


def _replace(path: Path, parts: Iterable[str | bytes]) -> None:
    unfinished = path.with_name(f".stallscope-{secrets.token_hex(6)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(unfinished, flags, 0o644 & _mode_of(path))
    try:
        _write(descriptor, parts)
        unfinished.replace(path)
    finally:
        with suppress(FileNotFoundError):
            unfinished.unlink()


def _mode_of(path: Path) -> int:
    """Return who may do what with a file that is to be replaced; all may where there is none."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return 0o777
    return stat.S_IMODE(status.st_mode)


def _write(descriptor: int, parts: Iterable[str | bytes]) -> None:
    with open(descriptor, "wb") as file:
        for part in parts:
            file.write(_encoded(part))


def _encoded(part: str | bytes) -> bytes:
    return part if isinstance(part, bytes) else part.encode("utf-8", "replace")


def _failed(path: Path, error: OSError) -> StallscopeError:
    message = f"cannot write {path}: {error.strerror}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
        return UnableError(message, "free some space there, or name another place")
    return UsageError(
        message, "name a file in a directory that exists and that this user may write"
    )
