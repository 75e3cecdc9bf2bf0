"""Archives whose bytes depend on their content only: members in order, one date, normal modes."""

import gzip
import hashlib
import io
import tarfile
import time
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

_ZIP_FIRST_S = 315_532_800  # 1980-01-01, the first date of the format
_REGULAR, _EXECUTABLE, _FOLDER = 0o100644, 0o100755, 0o755


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def normalise_zip(path: Path, epoch_s: int) -> None:
    """Rewrite a zip archive: members sorted, RECORD last, one date, normal modes."""
    with zipfile.ZipFile(path) as archive:
        members = {
            info.filename: (archive.read(info), bool(info.external_attr >> 16 & 0o111))
            for info in archive.infolist()
            if not info.is_dir()
        }
    write_zip(path, members, epoch_s)


def write_zip(path: Path, members: Mapping[str, tuple[bytes, bool]], epoch_s: int) -> None:
    """Write a zip archive of contents by name, each with whether it is executable."""
    date = time.gmtime(max(epoch_s, _ZIP_FIRST_S))[:6]
    partial = path.with_name(path.name + ".partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in sorted(members, key=lambda name: (name.endswith("/RECORD"), name)):
            content, executable = members[name]
            info = zipfile.ZipInfo(name, date)
            info.create_system = 3  # Unix
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (_EXECUTABLE if executable else _REGULAR) << 16
            archive.writestr(info, content)
    partial.replace(path)


def tar_of(members: Iterable[tuple[str, bytes, int]], epoch_s: int) -> bytes:
    """Return a tar archive of (name, content, mode); a name that ends with "/" is a folder."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content, mode in sorted(members):
            info = tarfile.TarInfo(name.rstrip("/"))
            info.mtime, info.mode, info.size = epoch_s, mode & 0o7777, len(content)
            if name.endswith("/"):
                info.type, info.mode = tarfile.DIRTYPE, _FOLDER
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def gzipped(content: bytes) -> bytes:
    """Return the content as gzip, without name or date."""
    return gzip.compress(content, compresslevel=6, mtime=0)
