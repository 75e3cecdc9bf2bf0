"""What is gone when a process ends, copied into the recording while it lives.

Deleted binaries and those of other mount namespaces go to RUN/binaries by build id, the maps of
JIT compilers to RUN/jit. Runs as root over files of strangers: sources are opened as
regular_file.py says, copies are made below descriptors of own directories, 0600 in 0700.
"""

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stallscope.own_directory import own_directory, write_whole
from stallscope.printable import printable
from stallscope.regular_file import (
    MissingFileError,
    RefusedFileError,
    RegularFile,
    open_in_root,
    open_regular,
)
from topdown.stacks.elf.file import ElfError, ElfFile
from topdown.stacks.profile import ProfileWarning
from topdown.stacks.symbols.jit_maps import MAP_LIMIT, open_jit_map

_BLOCK = 1 << 20
_MAPS_LIMIT = 64 << 20
_LINE = re.compile(
    rb"([0-9a-f]+-[0-9a-f]+) ..x. [0-9a-f]+ ([0-9a-f]+):([0-9a-f]+) ([1-9][0-9]*) +(/[^\n]*)"
)
_MAP_NAME = re.compile(r"perf-([0-9]{1,10})\.map")
_DELETED = b" (deleted)"
_NOT_FILES = (b"//", b"/memfd:", b"/dev/", b"/SYSV", b"/anon_hugepage")


@dataclass(frozen=True, slots=True)
class CopyLimits:
    """How much may be copied: bytes of one file, and of all files of a recording."""

    file_bytes: int = 512 << 20
    all_bytes: int = 2 << 30


@dataclass(frozen=True, slots=True)
class _MappedFile:
    """An executable file that a process has mapped."""

    pid: int
    span: str
    identity: tuple[int, int, int]  # major, minor, inode
    path: bytes


def keep(
    pids: Iterable[int],
    directory: Path,
    *,
    proc: Path = Path("/proc"),
    limits: CopyLimits | None = None,
) -> tuple[ProfileWarning, ...]:
    """Return warnings for what could not be kept; copies the rest below ``directory``.

    May be called again: what is there stays, but a JIT map is replaced by its newer state.
    Raises OSError where ``directory`` cannot be written.
    """
    keeper = _Keeper(directory, proc, limits or CopyLimits())
    for pid in dict.fromkeys(pids):
        keeper.keep_binaries(pid)
        keeper.keep_jit_map(pid)
    return tuple(keeper.warnings)


def forget(directory: Path) -> None:
    """Remove what an earlier recording in ``directory`` kept: a map is found by a process's number.

    Raises OSError where it cannot be removed, or is not a directory of ours.
    """
    for name in ("binaries", "jit"):
        with suppress(FileNotFoundError):
            shutil.rmtree(directory / name)  # does not follow links


def keep_left_jit_maps(directory: Path, since_s: float, *, root: Path = Path("/")) -> None:
    """Copy the JIT maps that processes have left in /tmp since a moment of the real-time clock.

    For commands, which have ended by now: their maps outlive them, but nothing of theirs tells
    whose map it is. So it must be this user's or root's own, and written since the command began.
    Raises OSError where ``directory`` cannot be written.
    """
    for name in os.listdir(root / "tmp"):  # noqa: PTH208 - names only
        match = _MAP_NAME.fullmatch(name)
        if match is None:
            continue
        try:
            with open_in_root(root, b"tmp/" + name.encode(), link_owners=frozenset({0})) as file:
                ours = file.status.st_uid in (0, os.geteuid())
                if ours and file.status.st_mtime >= since_s:
                    with own_directory(directory / "jit") as place:
                        length = min(file.size, MAP_LIMIT)
                        write_whole(place, f"{match[1]}.map", _blocks(file, length))
        except (MissingFileError, RefusedFileError):
            continue


class _Keeper:
    """Copies files into a recording, and counts what it copied."""

    def __init__(self, directory: Path, proc: Path, limits: CopyLimits) -> None:
        self._directory = directory
        self._proc = proc
        self._limits = limits
        self._seen: set[tuple[int, int, int]] = set()
        self._left = limits.all_bytes - _size_of(directory / "binaries")
        self.warnings: dict[ProfileWarning, None] = {}

    def keep_binaries(self, pid: int) -> None:
        for mapped in _perishable(pid, self._proc):
            if mapped.identity in self._seen:
                continue
            self._seen.add(mapped.identity)
            shown = printable(mapped.path)
            try:
                with self._open(mapped) as file:
                    self._keep_binary(file, mapped)
            except ElfError:
                continue  # executable memory of some other kind of file has no symbols
            except MissingFileError:
                self._warn("binary-lost", f"{shown}: went away before it could be copied")
            except RefusedFileError as error:
                remedy = f" {error.remedy}" if error.remedy else ""
                self._warn("binary-lost", f"{shown}: not copied: {printable(str(error))}.{remedy}")

    def keep_jit_map(self, pid: int) -> None:
        try:
            with open_jit_map(pid, self._proc) as file:
                if file.size > MAP_LIMIT:
                    message = f"{printable(file.name)}: only {MAP_LIMIT >> 20} MiB of it were kept"
                    self._warn("jit-map-cut", message)
                length = min(file.size, MAP_LIMIT)
                with own_directory(self._directory / "jit") as place:
                    write_whole(place, f"{pid}.map", _blocks(file, length))
        except MissingFileError:
            return
        except RefusedFileError as error:
            self._warn("jit-map-refused", f"{printable(str(error))}: not kept")

    def _open(self, mapped: _MappedFile) -> RegularFile:
        process = self._proc / str(mapped.pid)
        try:
            return open_regular(process / "map_files" / mapped.span)
        except RefusedFileError:
            if mapped.path.endswith(_DELETED):
                raise
            file = open_in_root(process / "root", mapped.path)
        device = file.status.st_dev
        if (os.major(device), os.minor(device), file.status.st_ino) != mapped.identity:
            file.close()
            raise RefusedFileError(f"{file.name}: another file stands there now")
        return file

    def _keep_binary(self, file: RegularFile, mapped: _MappedFile) -> None:
        name = ElfFile(file).build_id.hex() or "inode-{}-{}-{}".format(*mapped.identity)
        with own_directory(self._directory / "binaries") as place:
            if name in os.listdir(place):  # noqa: PTH208 - by descriptor
                return
            if file.size > min(self._limits.file_bytes, self._left):
                self._warn(
                    "binary-not-kept",
                    f"{printable(mapped.path)}: its {file.size >> 20} MiB are beyond what a "
                    "recording keeps; its symbols are lost when the process ends",
                )
                return
            write_whole(place, name, _blocks(file, file.size))
            self._left -= file.size

    def _warn(self, code: str, message: str) -> None:
        self.warnings[ProfileWarning(code, message)] = None


def _perishable(pid: int, proc: Path) -> Iterator[_MappedFile]:
    """Yield the executable files of a process that its end, or its container's, takes away."""
    process = proc / str(pid)
    try:
        with (process / "maps").open("rb") as file:
            maps = file.read(_MAPS_LIMIT)
        elsewhere = (process / "ns/mnt").readlink() != (proc / "self/ns/mnt").readlink()
    except OSError:
        return  # it has ended, or is a kernel thread
    for match in _LINE.finditer(maps):
        span, major, minor, inode, path = match.groups()
        if path.startswith(_NOT_FILES) or not (elsewhere or path.endswith(_DELETED)):
            continue
        identity = (int(major, 16), int(minor, 16), int(inode))
        yield _MappedFile(pid, span.decode(), identity, path)


def _size_of(directory: Path) -> int:
    try:
        return sum(place.lstat().st_size for place in directory.iterdir())
    except OSError:
        return 0


def _blocks(file: RegularFile, length: int) -> Iterator[bytes]:
    for offset in range(0, length, _BLOCK):
        yield file.read(offset, min(_BLOCK, length - offset))
