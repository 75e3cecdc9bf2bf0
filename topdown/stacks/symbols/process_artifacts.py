"""Process artifacts: files that disappear when a process ends, copied into the recording.

Deleted binaries and binaries of other mount namespaces are copied to RUN/binaries by build id, maps
of JIT compilers to RUN/jit. This may run as root on untrusted files: sources are opened as
described in regular_file.py, copies are written below descriptors of private directories, with mode
0600 in 0700.
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stallscope.printable import printable
from stallscope.private_directory import private_directory, write_atomic
from stallscope.regular_file import (
    MissingFileError,
    RefusedFileError,
    RegularFile,
    open_in_root,
    open_regular,
)
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.file_identity import is_trusted
from topdown.stacks.symbols.jit_dumps import dump_lines, open_jit_dump
from topdown.stacks.symbols.jit_files import MAP_LIMIT, open_jit_map
from topdown.stacks.symbols.limited_reader import read_limited
from topdown.stacks.symbols.reading_limits import ReadingBudget, ReadingLimits

_BLOCK = 1 << 20
_MAPS_LIMIT = 64 << 20
_LINE = re.compile(
    rb"([0-9a-f]+-[0-9a-f]+) ..x. [0-9a-f]+ ([0-9a-f]+):([0-9a-f]+) ([1-9][0-9]*) +(/[^\n]*)"
)
_PID = re.compile(r"[^0-9]+")
_MAP_NAME = re.compile(r"perf-([0-9]{1,10})\.map|jit-([0-9]{1,10})\.dump")
_DELETED = b" (deleted)"
_NOT_FILES = (b"//", b"/memfd:", b"/dev/", b"/SYSV", b"/anon_hugepage")


@dataclass(frozen=True, slots=True)
class CopyLimits:
    """Limits of copying: size of one file, of all binaries and of all left maps, in bytes."""

    file_bytes: int = 512 << 20
    all_bytes: int = 2 << 30
    maps_bytes: int = 512 << 20


COPYING_LIMITS = ReadingLimits(cpu_s=20.0, wall_s=30.0, output_bytes=1 << 30)


@dataclass(frozen=True, slots=True)
class _MappedFile:
    """An executable file that a process has mapped."""

    pid: int
    span: str
    identity: tuple[int, int, int]  # major, minor, inode
    path: bytes


def copy_artifacts(
    pids: Iterable[int],
    directory: Path,
    *,
    proc: Path = Path("/proc"),
    limits: CopyLimits | None = None,
) -> tuple[ProfileWarning, ...]:
    """Copy the artifacts of processes below ``directory``; return warnings about missing ones.

    A further call keeps the files that exist, but replaces a JIT map by its newer state.
    Raises OSError if ``directory`` cannot be written.
    """
    copier = _ArtifactCopier(directory, proc, limits or CopyLimits())
    for pid in dict.fromkeys(pids):
        copier.copy_binaries(pid)
        copier.copy_jit_map(pid)
    return tuple(copier.warnings)


def copy_artifacts_limited(
    pids: Iterable[int],
    directory: Path,
    *,
    proc: Path = Path("/proc"),
    limits: ReadingLimits = COPYING_LIMITS,
) -> tuple[ProfileWarning, ...]:
    """Copy artifacts as ``copy_artifacts`` does, in a limited process.

    A file of another mount namespace may be on a file system that never answers. Raises OSError if
    ``directory`` cannot be written.
    """
    tried = tuple(pids)

    return _limited(lambda: copy_artifacts(tried, directory, proc=proc), limits)


def _limited(
    copy: Callable[[], tuple[ProfileWarning, ...]], limits: ReadingLimits
) -> tuple[ProfileWarning, ...]:
    """Return the warnings of ``copy``, which runs in a limited process; raises its OSError."""

    def run() -> Iterator[bytes]:
        try:
            warnings = copy()
        except OSError as error:
            yield json.dumps([error.errno, error.strerror]).encode()
        else:
            yield json.dumps([[warning.code, warning.message] for warning in warnings]).encode()

    output = read_limited(run, limits, ReadingBudget(limits.cpu_s, limits.wall_s))
    if output.failure:
        message = f"not all files that disappear with the process were copied: {output.failure}"
        return (ProfileWarning("binary-lost", message),)
    result = json.loads(output.content)
    if result and isinstance(result[0], int):
        raise OSError(*result)
    return tuple(ProfileWarning(code, message) for code, message in result)


def remove_artifacts(directory: Path) -> None:
    """Remove the artifacts of an earlier recording in ``directory``, whose PIDs may be reused.

    Raises OSError if they cannot be removed.
    """
    for name in ("binaries", "jit"):
        with suppress(FileNotFoundError):
            shutil.rmtree(directory / name)  # does not follow links


def copy_leftover_jit_maps(
    directory: Path,
    since_s: float,
    *,
    root: Path = Path("/"),
    limits: ReadingLimits = COPYING_LIMITS,
) -> tuple[ProfileWarning, ...]:
    """Copy the JIT maps that ended processes left in /tmp since a time of the real-time clock.

    A command has ended when this is called, so the owner of a map is not known from its process.
    The map must belong to this user or root, and be written since the command started. Files that
    another user put under such a name are opened too, so a limited process does it. Returns
    warnings about missing maps. Raises OSError if ``directory`` cannot be written.
    """
    names = [name for name in os.listdir(root / "tmp") if _MAP_NAME.fullmatch(name)]  # noqa: PTH208
    if not names:
        return ()
    # A map takes precedence over a dump of the same process.
    names.sort(key=lambda name: (name.endswith(".dump"), name))
    return _limited(lambda: _copy_maps(names, root, directory, since_s), limits)


def _copy_maps(
    names: Iterable[str], root: Path, directory: Path, since_s: float
) -> tuple[ProfileWarning, ...]:
    remaining_bytes = CopyLimits().maps_bytes
    left_out = 0
    for name in names:
        with (
            suppress(RefusedFileError),
            open_in_root(root, b"tmp/" + name.encode(), link_owners=frozenset({0})) as file,
        ):
            if not is_trusted(file) or file.status.st_mtime < since_s:
                continue
            is_dump = name.endswith(".dump")
            length = min(file.size, MAP_LIMIT)
            if length > remaining_bytes:
                left_out += 1
                continue
            remaining_bytes -= length
            with private_directory(directory / "jit") as folder:
                copy = f"{_PID.sub('', name)}.map"
                if not is_dump or copy not in os.listdir(folder):  # noqa: PTH208 - by descriptor
                    blocks = dump_lines(file) if is_dump else _blocks(file, length)
                    write_atomic(folder, copy, blocks)
    if not left_out:
        return ()
    message = f"{left_out} symbol maps of JIT-compiled code exceed the limit of a recording"
    return (ProfileWarning("jit-map-cut", message),)


class _ArtifactCopier:
    """Copies files into a recording, up to the limits."""

    def __init__(self, directory: Path, proc: Path, limits: CopyLimits) -> None:
        self._directory = directory
        self._proc = proc
        self._limits = limits
        self._copied: set[tuple[int, int, int]] = set()
        self._remaining_bytes = limits.all_bytes - _size_of(directory / "binaries")
        self.warnings: dict[ProfileWarning, None] = {}

    def copy_binaries(self, pid: int) -> None:
        for mapped in _vanishing_files(pid, self._proc):
            if mapped.identity in self._copied:
                continue
            self._copied.add(mapped.identity)
            path_text = printable(mapped.path)
            try:
                with self._open(mapped) as file:
                    self._copy_binary(file, mapped)
            except MissingFileError:
                self._warn("binary-lost", f"{path_text}: disappeared before it could be copied")
            except RefusedFileError as error:
                remedy = f" {error.remedy}" if error.remedy else ""
                self._warn(
                    "binary-lost", f"{path_text}: not copied: {printable(str(error))}.{remedy}"
                )

    def copy_jit_map(self, pid: int) -> None:
        try:
            with open_jit_map(pid, self._proc) as file:
                if file.size > MAP_LIMIT:
                    message = (
                        f"{printable(file.name)}: only the first {MAP_LIMIT >> 20} MiB were copied"
                    )
                    self._warn("jit-map-cut", message)
                length = min(file.size, MAP_LIMIT)
                with private_directory(self._directory / "jit") as folder:
                    write_atomic(folder, f"{pid}.map", _blocks(file, length))
        except MissingFileError:
            self._copy_jit_dump(pid)
        except RefusedFileError as error:
            self._warn("jit-map-refused", f"{printable(str(error))}: not copied")

    def _copy_jit_dump(self, pid: int) -> None:
        """Copy the functions of a dump as a symbol map, which is much smaller."""
        try:
            with (
                open_jit_dump(pid, self._proc) as file,
                private_directory(self._directory / "jit") as folder,
            ):
                write_atomic(folder, f"{pid}.map", dump_lines(file))
        except MissingFileError:
            return
        except RefusedFileError as error:
            self._warn("jit-map-refused", f"{printable(str(error))}: not copied")

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
            raise RefusedFileError(f"{file.name}: replaced by another file")
        return file

    def _copy_binary(self, file: RegularFile, mapped: _MappedFile) -> None:
        # numpy loads with it, and rarely is a file about to disappear
        from topdown.stacks.elf.file import ElfError, ElfFile  # noqa: PLC0415

        try:
            build_id = ElfFile(file).build_id.hex()
        except ElfError:
            return  # other kinds of executable files have no symbols
        name = build_id or "inode-{}-{}-{}".format(*mapped.identity)
        with private_directory(self._directory / "binaries") as folder:
            if name in os.listdir(folder):  # noqa: PTH208 - by descriptor
                return
            if file.size > min(self._limits.file_bytes, self._remaining_bytes):
                self._warn(
                    "binary-not-kept",
                    f"{printable(mapped.path)}: {file.size >> 20} MiB exceed the limit of a "
                    "recording; its symbols are lost when the process ends",
                )
                return
            write_atomic(folder, name, _blocks(file, file.size))
            self._remaining_bytes -= file.size

    def _warn(self, code: str, message: str) -> None:
        self.warnings[ProfileWarning(code, message)] = None


def _vanishing_files(pid: int, proc: Path) -> Iterator[_MappedFile]:
    """Yield the executable files that disappear when the process or its container ends."""
    process = proc / str(pid)
    try:
        with (process / "maps").open("rb") as file:
            maps = file.read(_MAPS_LIMIT)
        other_namespace = (process / "ns/mnt").readlink() != (proc / "self/ns/mnt").readlink()
    except OSError:
        return  # the process has ended, or is a kernel thread
    for match in _LINE.finditer(maps):
        span, major, minor, inode, path = match.groups()
        if path.startswith(_NOT_FILES) or not (other_namespace or path.endswith(_DELETED)):
            continue
        identity = (int(major, 16), int(minor, 16), int(inode))
        yield _MappedFile(pid, span.decode(), identity, path)


def _size_of(directory: Path) -> int:
    try:
        return sum(file.lstat().st_size for file in directory.iterdir())
    except OSError:
        return 0


def _blocks(file: RegularFile, length: int) -> Iterator[bytes]:
    for offset in range(0, length, _BLOCK):
        yield file.read(offset, min(_BLOCK, length - offset))
