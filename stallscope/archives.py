"""Archives of recordings: tar streams of regular files, read with limits.

An archive comes from another host or person. Links, devices, names that leave the target directory,
and more files or bytes than the limits are refused before anything of them is written.
"""

import os
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from stallscope.errors import RecordingError

_REMEDY = "the archive was not written by stallscope, or is damaged: pack the recording again"
_CHUNK = 1 << 20
_MAX_NAME = 255


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Largest number of files, of folders in a name, and of bytes after decompression."""

    files: int = 10_000
    depth: int = 8
    size_bytes: int = 16 << 30


DEFAULT_LIMITS = ArchiveLimits()


def extract_archive(
    stream: IO[bytes], target: Path, name: str, limits: ArchiveLimits = DEFAULT_LIMITS
) -> int:
    """Return the bytes written to ``target``, an existing empty directory; ``name`` is for errors.

    The stream is a tar archive, plain or compressed by gzip. Raises RecordingError if it is
    refused or damaged, OSError if the target cannot be written.
    """
    files, written = 0, 0
    try:
        with tarfile.open(fileobj=stream, mode="r|*") as archive:
            for member in archive:
                path = _checked_path(member, name, limits)
                if member.isdir():
                    (target / path).mkdir(mode=0o700, parents=True, exist_ok=True)
                    continue
                files += 1
                written += member.size
                if files > limits.files or written > limits.size_bytes:
                    raise RecordingError(
                        f"{name}: more than {limits.files} files or {limits.size_bytes} bytes",
                        _REMEDY,
                    )
                _write_member(archive, member, target / path)
    except (tarfile.TarError, EOFError, ValueError, UnicodeError) as error:
        raise RecordingError(f"{name} is not a complete archive: {error}", _REMEDY) from error
    if not files:
        raise RecordingError(f"{name} holds no file", _REMEDY)
    return written


def _checked_path(member: tarfile.TarInfo, name: str, limits: ArchiveLimits) -> Path:
    if not (member.isreg() or member.isdir()) or member.issparse():
        raise RecordingError(f"{name}: {member.name!r} is not a regular file", _REMEDY)
    parts = [part for part in member.name.split("/") if part not in ("", ".")]
    if (
        member.name.startswith("/")
        or ".." in parts
        or "\0" in member.name
        or len(parts) > limits.depth
        or any(len(os.fsencode(part)) > _MAX_NAME for part in parts)
    ):
        raise RecordingError(f"{name}: the name {member.name!r} is refused", _REMEDY)
    return Path(*parts)


def _write_member(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    content = archive.extractfile(member)
    assert content is not None
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError as error:
        raise RecordingError(f"the archive has {member.name!r} twice", _REMEDY) from error
    with open(descriptor, "wb") as file:
        while chunk := content.read(_CHUNK):
            file.write(chunk)
