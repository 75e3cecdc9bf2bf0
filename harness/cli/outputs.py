"""Result files: written as a whole or not at all, and never through a symbolic link."""

import errno
import os
import stat
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from stallscope.errors import FULL, OutputError, StallscopeError, UsageError
from stallscope.output_place import open_place, trusted_users

_STDOUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
# Names of open files, pipes and devices: replacing one would break it for every process.
_SYSTEM_FOLDERS = ("/dev", "/dev/fd", "/proc/self/fd")


def write_whole(path: Path, parts: Iterable[str | bytes]) -> None:
    """Write text as UTF-8, or bytes, to a file that gets its name only when it is complete.

    The file is created beside its final name with O_EXCL and renamed, which replaces a symbolic
    link instead of following it. The new file has the permissions of the old one. "-" is stdout;
    pipes and character devices are written to in place, block devices never. Lone surrogates
    become "?". Raises UsageError if the path cannot be written, OutputError if the disk is full or
    fails.
    """
    if str(path) in _STDOUT:
        sys.stdout.flush()
        for chunk in parts:
            sys.stdout.buffer.write(_encoded(chunk))
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
        raise output_error(path, error) from error


def check_place(path: Path) -> None:
    """Raise UsageError if a file cannot be written, before its content is produced."""
    if str(path) in _STDOUT or _is_stream(path):
        return
    try:
        with open_place(path.absolute().parent) as folder:
            if not os.access(".", os.W_OK | os.X_OK, dir_fd=folder, effective_ids=True):
                raise output_error(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
    except OSError as error:
        raise output_error(path, error) from error


def check_files(paths: Sequence[Path], suffixes: Sequence[str]) -> None:
    """Raise UsageError for a file that cannot be written, or has another suffix."""
    for path in paths:
        if path.suffix.lower() not in suffixes:
            raise UsageError(f"-o {path}: unknown file type", f"use {', '.join(suffixes)}")
        check_place(path)


def default_directory(target: str) -> Path:
    """Return the name of a new directory here, made of what is observed and the time.

    In a directory in which other users may create files, the name ends in random digits, so that
    it cannot be created beforehand.
    """
    name = f"stallscope-{target}-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    shared = Path.cwd().stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return Path(f"{name}-{os.urandom(6).hex()}" if shared else name)


def _is_stream(path: Path) -> bool:
    """Return whether the path must be written in place instead of being replaced.

    Another user's pipe or device is refused: that user would read the output. So would a symbolic
    link to one, which is replaced.
    """
    in_system_folder = str(path.absolute().parent) in _SYSTEM_FOLDERS
    try:
        status = path.stat(follow_symlinks=in_system_folder)
    except FileNotFoundError:
        return False
    mode = status.st_mode
    if stat.S_ISDIR(mode):
        raise UsageError(f"cannot write {path}: it is a directory", "name a file in it")
    if stat.S_ISBLK(mode):
        raise UsageError(f"cannot write {path}: it is a block device", "name a file")
    if in_system_folder or stat.S_ISREG(mode) or stat.S_ISLNK(mode):
        return in_system_folder
    if status.st_uid not in {os.geteuid(), *trusted_users()}:
        raise UsageError(
            f"cannot write {path}: this pipe or device belongs to the user {status.st_uid}",
            "name a file, or a pipe of your own",
        )
    return True


def _replace(path: Path, parts: Iterable[str | bytes]) -> None:
    name = path.name
    unfinished = f".stallscope-{os.urandom(6).hex()}.part"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open_place(path.absolute().parent) as folder:
        descriptor = os.open(unfinished, flags, 0o644 & _mode_of(name, folder), dir_fd=folder)
        try:
            _write(descriptor, parts)
            os.replace(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(unfinished, dir_fd=folder)


def _mode_of(name: str, folder: int) -> int:
    """Return the permissions of an existing file; all permissions if there is none."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return 0o777
    return stat.S_IMODE(status.st_mode)


def _write(descriptor: int, parts: Iterable[str | bytes]) -> None:
    with open(descriptor, "wb") as file:
        for chunk in parts:
            file.write(_encoded(chunk))


def _encoded(chunk: str | bytes) -> bytes:
    return chunk if isinstance(chunk, bytes) else chunk.encode("utf-8", "replace")


def output_error(path: Path, error: OSError) -> StallscopeError:
    """Return the error for a path that cannot be written: UsageError unless the disk is full."""
    message = f"cannot write {path}: {error.strerror}"
    if error.errno in FULL:
        return OutputError(message, "free some space there, or name another file")
    if error.errno == errno.EPERM:
        return UsageError(message, "name a path in a directory of this user, such as ~")
    return UsageError(
        message, "name a path in a directory that exists and that this user may write"
    )
