"""Writing result files: whole or not at all, and never through a stranger's link."""

import os
import secrets
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from stallscope.errors import UnableError, UsageError


def write_whole(path: Path, parts: Iterable[str]) -> None:
    """Write text to a file that appears under its name only when it is whole; "-" is stdout.

    The file is made beside its final name with O_EXCL and put in place by a rename, which replaces
    a link instead of following it. Lone surrogates become "?". Raises UsageError where the place
    cannot be written, UnableError where the disk is full.
    """
    if str(path) == "-":
        for part in parts:
            sys.stdout.write(part)
        return
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        descriptor = os.open(
            unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644
        )
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}",
            "name a file in a directory that exists and that this user may write",
        ) from error
    try:
        with open(descriptor, "w", encoding="utf-8", errors="replace") as file:
            for part in parts:
                file.write(part)
        unfinished.replace(path)
    except OSError as error:
        raise UnableError(
            f"cannot write {path}: {error.strerror}", "free some space there, or name another place"
        ) from error
    finally:
        with suppress(FileNotFoundError):
            unfinished.unlink()
