"""The directory of a continuous recording: numbered recordings of limited total size.

run/continuous.json    what was recorded and what it cost, rewritten after each segment
run/segment-000001/    a recording; the oldest ones are removed
"""

import fcntl
import filecmp
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from harness.cli.outputs import output_error, write_whole
from stallscope.documents import encode
from stallscope.errors import UsageError
from stallscope.output_place import make_output_directory
from stallscope.recordings import CONTINUOUS, MANIFEST

_LOCK = "continuous.lock"
_NAME = re.compile(r"segment-([0-9]{6,12})")
_SAMPLES = "samples.perf"
# Smaller files are not worth a comparison.
_MIN_SHARED_BYTES = 4096
# The symbols of the kernel and copies of binaries, until a segment was measured.
FIRST_OTHER_BYTES = 16 << 20


class SegmentStore:
    """The segments in a directory that this process has locked."""

    def __init__(self, path: Path, limit_bytes: int) -> None:
        self.path = path
        self._limit_bytes = limit_bytes
        self._other_bytes = FIRST_OTHER_BYTES
        self._last_number = max(map(_number, self.segments()), default=0)
        self.removed = 0

    @property
    def max_segment_mib(self) -> int:
        """Return the size of samples at which a segment ends."""
        return max(1, self._limit_bytes // 4 >> 20)

    def segments(self) -> list[Path]:
        """Return the segments, oldest first."""
        rows = [
            entry
            for entry in self.path.iterdir()
            if _NAME.fullmatch(entry.name) and entry.is_dir() and not entry.is_symlink()
        ]
        return sorted(rows, key=_number)

    def next_path(self) -> Path:
        """Return the path of a new segment, after oldest ones were removed to make room for it."""
        self._remove_down_to(
            self._limit_bytes - (self.max_segment_mib << 20) - self._other_bytes, keep=0
        )
        self._last_number += 1
        return self.path / f"segment-{self._last_number:06}"

    def close_segment(self, segment: Path) -> int:
        """Return the size of all segments after the limit was applied.

        Files that equal those of the segment before, such as the kernel's symbols, become links.
        """
        before = [path for path in self.segments() if _number(path) < _number(segment)]
        if before:
            share_files(segment, before[-1])
        self._other_bytes = max(
            _size([segment]) - _file_size(segment / _SAMPLES), _MIN_SHARED_BYTES
        )
        return self._remove_down_to(self._limit_bytes, keep=1)

    def remove(self, segment: Path) -> None:
        """Remove a segment."""
        with suppress(FileNotFoundError):
            shutil.rmtree(segment)

    def remove_oldest(self) -> bool:
        """Return whether there was a segment to remove."""
        segments = self.segments()
        if segments:
            self.remove(segments[0])
            self.removed += 1
        return bool(segments)

    def size_bytes(self) -> int:
        """Return the size of all segments; a file with several names counts once."""
        return _size(self.segments())

    def write_state(self, document: object) -> None:
        """Replace the state file."""
        write_whole(self.path / CONTINUOUS, [encode(document, indent=1) + "\n"])

    def _remove_down_to(self, limit_bytes: int, *, keep: int) -> int:
        segments = self.segments()
        size_bytes = _size(segments)
        while size_bytes > limit_bytes and len(segments) > keep:
            self.remove(segments.pop(0))
            self.removed += 1
            size_bytes = _size(segments)
        return size_bytes


@contextmanager
def open_store(path: Path, limit_bytes: int) -> Iterator[SegmentStore]:
    """Yield the store in a new directory, or in that of an earlier continuous recording.

    Raises UsageError if the directory is another one, or another process records into it.
    """
    try:
        make_output_directory(path)
    except FileExistsError:
        if any(path.iterdir()) and not (path / _LOCK).is_file():
            raise UsageError(
                f"{path} exists and is not a continuous recording", "name another directory with -o"
            ) from None
    except OSError as error:
        raise output_error(path, error) from error
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        lock = os.open(path / _LOCK, flags, 0o600)
    except OSError as error:
        raise output_error(path / _LOCK, error) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                f"another process records into {path}", "end it, or name another directory with -o"
            ) from None
        yield SegmentStore(path, limit_bytes)
    finally:
        os.close(lock)


def share_files(segment: Path, before: Path) -> None:
    """Replace files of a segment by links to equal ones of the segment before."""
    for file in sorted(segment.rglob("*")):
        other = before / file.relative_to(segment)
        if file.name in (MANIFEST, _SAMPLES) or file.is_symlink() or not file.is_file():
            continue
        if file.stat().st_size < _MIN_SHARED_BYTES or other.is_symlink() or not other.is_file():
            continue
        if file.samefile(other) or not filecmp.cmp(file, other, shallow=False):
            continue
        link = file.with_name(f".{file.name}.link")
        with suppress(OSError):  # a file system without links
            os.link(other, link)
            link.replace(file)


def _number(path: Path) -> int:
    match = _NAME.fullmatch(path.name)
    return int(match[1]) if match else 0


def _size(folders: list[Path]) -> int:
    sizes = {}
    for folder in folders:
        for file in folder.rglob("*"):
            status = file.lstat()
            sizes[status.st_dev, status.st_ino] = status.st_size
    return sum(sizes.values())


def _file_size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0
