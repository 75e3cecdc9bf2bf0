"""What is measured: a file, a directory's disk, a block device, or a disk in virtual time.

``open_target`` is the one place where a path becomes a descriptor. It reads only, unless asked to
write; it writes only into a file of its own, or into a device that passes every check and was
named twice. The engine gets the descriptor (``pass_fds``), never the path.
"""

import fcntl
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from types import TracebackType
from typing import Self

from ioprobe.target.alignment import direct_alignment
from ioprobe.target.block_devices import BlockDevice, block_device, device_below, node_number
from ioprobe.target.device_checks import check_named, check_unused, open_exclusively
from ioprobe.target.direct import Direct, direct_of
from ioprobe.target.holes import hole_share
from ioprobe.target.mounts import Mount, mount_of, upper_layer
from ioprobe.target.own_file import Progress, check_space, make_unnamed, space_of, write_content
from ioprobe.target.simulated import PREFIX, Simulated, parse_simulated
from ioprobe.target.taken_paths import NAME_ONE, not_opened, taken_path
from stallscope.errors import UnableError, UsageError
from stallscope.quantities import size_text
from stallscope.system_files import Roots, read_text

_PAGE_BYTES = 4096
_SIMULATED_BYTES = 2**30
_LIVE = Roots()
_VIRTUAL = Direct(True, None, 1)


class TargetKind(StrEnum):
    """What a path turned out to be."""

    FILE = "file"
    DIRECTORY = "directory"
    DEVICE = "device"
    SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a measurement wants of its target."""

    writable: bool = False
    destroy: str | None = None  # the device's name once more, as "/dev/sdb"
    size_bytes: int = 2**30  # of a file of our own
    span_bytes: int | None = None  # from the offset on; None: all there is
    offset_bytes: int = 0
    block_bytes: tuple[int, ...] = (_PAGE_BYTES,)
    need_direct: bool = True  # no measurement without O_DIRECT; else Target.direct tells
    writes_bytes: int | None = None  # what the measurement writes at most; None: unknown


@dataclass(frozen=True, slots=True)
class Target:
    """Something open to be measured; closes its descriptor when left."""

    kind: TargetKind
    path: str  # as it was given
    descriptor: int | None  # None: simulated
    offset_bytes: int
    span_bytes: int
    writable: bool = False
    is_own_file: bool = False
    direct: Direct = _VIRTUAL
    mount: Mount | None = None
    device: BlockDevice | None = None  # itself, or what the filesystem is on
    device_number: tuple[int, int] | None = None  # the filesystem's, where no device is known
    simulated: Simulated | None = None
    warnings: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        """Return the target itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close the descriptor, with which a file of our own is gone; to be called once."""
        if self.descriptor is not None:
            with suppress(OSError):  # of a disk that is gone; the descriptor is free all the same
                os.close(self.descriptor)

    @property
    def filesystem(self) -> str | None:
        """Return the type of the filesystem a file is on; None for others, or where unknown."""
        return self.mount.filesystem if self.mount and self.kind != TargetKind.DEVICE else None

    def cached(self) -> "Target":
        """Return the same content opened through the page cache, for reading; its own to close."""
        descriptor = None
        if self.descriptor is not None:
            descriptor = os.open(f"/proc/self/fd/{self.descriptor}", os.O_RDONLY | os.O_CLOEXEC)
        asked = Direct(False, "the page cache was asked for", 1)
        return replace(self, descriptor=descriptor, writable=False, direct=asked)

    def check_block(self, block_bytes: int) -> None:
        """Raise UsageError where requests of that size cannot be made of this target."""
        unit = self.direct.alignment_bytes
        if block_bytes < 1 or block_bytes % unit:
            raise UsageError(
                f"{self.path}: requests of {block_bytes} bytes are no multiple of its {unit}",
                f"ask for a multiple of {max(unit, _PAGE_BYTES)}",
            )
        if block_bytes > self.span_bytes:
            raise UsageError(
                f"{self.path}: its {size_text(self.span_bytes)} are less than one request of"
                f" {size_text(block_bytes)}",
                "ask for smaller requests, or name something larger",
            )


def open_target(
    path: str,
    wanted: Wanted,
    *,
    announce: Callable[[str], None],
    progress: Progress | None = None,
    roots: Roots = _LIVE,
) -> Target:
    """Return the target at a path, or the simulated one that it names.

    ``announce`` is told what will be written before it is; ``progress`` how far that is. Raises
    UsageError or UnableError, each with its remedy, and has changed nothing then.
    """
    if path.startswith(PREFIX):
        simulated = parse_simulated(path)
        span_bytes = wanted.span_bytes or _SIMULATED_BYTES
        kind = TargetKind.SIMULATED
        return Target(kind, path, None, 0, span_bytes, wanted.writable, simulated=simulated)
    opening = _Opening(path, wanted, announce, progress, roots)
    taken = taken_path(path)
    try:
        return opening.of(taken, os.fstat(taken))
    finally:
        os.close(taken)


@dataclass(frozen=True, slots=True)
class _Opening:
    """One call of open_target: its arguments, and a way for each kind of path."""

    path: str
    wanted: Wanted
    announce: Callable[[str], None]
    progress: Progress | None
    roots: Roots

    def of(self, taken: int, status: os.stat_result) -> Target:
        """What stands at a descriptor that was opened with O_PATH, so that nothing has acted."""
        if stat.S_ISBLK(status.st_mode):
            return self._device(taken, status)
        if self.wanted.destroy is not None:
            raise UsageError(
                f"--destroy {self.wanted.destroy}: {self.path} is no block device",
                "leave --destroy away: files and directories are never overwritten",
            )
        if stat.S_ISDIR(status.st_mode):
            return self._own_file(taken, TargetKind.DIRECTORY, ())
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(
                f"{self.path}: is neither a file, a directory nor a block device", NAME_ONE
            )
        if not self.wanted.writable:
            return self._file(taken, status)
        beside = os.path.dirname(os.path.realpath(self.path))  # noqa: PTH120
        directory = taken_path(beside)
        try:
            note = f"{self.path} stays as it is: a file of our own beside it is written"
            return self._own_file(directory, TargetKind.FILE, (note,))
        finally:
            os.close(directory)

    def _file(self, taken: int, status: os.stat_result) -> Target:
        if status.st_size == 0:
            raise UsageError(
                f"{self.path}: is empty, there is nothing to read",
                "name its directory, and a file of our own is written there",
            )
        mount = mount_of(taken, self.roots)
        descriptor, direct = self._opened(taken, mount)
        target = self._located(TargetKind.FILE, descriptor, direct, mount, status)
        try:
            share = hole_share(descriptor, status.st_size)
            if share > 0:
                note = f"{100 * share:.0f} % of {self.path} was never written: no disk is asked"
                target = replace(target, warnings=(*target.warnings, note))
            return self._spanned(target, status.st_size)
        except BaseException:
            target.close()
            raise

    def _own_file(self, directory: int, kind: TargetKind, notes: tuple[str, ...]) -> Target:
        size_bytes = self.wanted.size_bytes // _PAGE_BYTES * _PAGE_BYTES
        where = f"in {self.path}" if kind == TargetKind.DIRECTORY else f"beside {self.path}"
        space = space_of(directory)
        check_space(space, self.wanted.size_bytes, self.path)
        made = make_unnamed(directory, self.path)
        try:
            flags = os.O_RDWR if self.wanted.writable else os.O_RDONLY
            mount = mount_of(made, self.roots)
            descriptor, direct = direct_of(made, flags, mount=self._below(mount), name=self.path)
            target = self._located(kind, descriptor, direct, mount, os.fstat(made))
            try:
                target = self._spanned(target, size_bytes)
                wear = self._wear()
                self.announce(
                    f"writes a file of its own of {size_text(size_bytes)} {where}, without a name:"
                    f" it is gone when this ends; {size_text(space.free_bytes - size_bytes)} of"
                    f" {size_text(space.size_bytes)} stay free; wear: {size_text(size_bytes)} once"
                    f"{wear}"
                )
                if direct.had:  # else a file of gigabytes would push others' pages out
                    fcntl.fcntl(made, fcntl.F_SETFL, os.O_DIRECT)
                write_content(made, size_bytes, self.path, self.progress)
                return replace(target, is_own_file=True, warnings=(*notes, *target.warnings))
            except BaseException:
                target.close()
                raise
        finally:
            os.close(made)

    def _device(self, taken: int, status: os.stat_result) -> Target:
        number = node_number(status)
        device = block_device(number, self.roots)
        if device is None:
            raise UnableError(
                f"{self.path}: the kernel has no device of number {number[0]}:{number[1]}",
                "lsblk lists those there are",
            )
        if self.wanted.writable:
            check_named(device, self.wanted.destroy)
            check_unused(device, self.roots)
            descriptor = open_exclusively(taken, device, self.roots)
            direct = Direct(True, None, direct_alignment(descriptor, self.path))
        elif self.wanted.destroy is not None:
            raise UsageError(
                f"--destroy {self.wanted.destroy}: nothing that was asked for writes",
                "leave --destroy away, or ask for writes",
            )
        else:
            descriptor, direct = self._opened(taken, None)
        target = self._located(TargetKind.DEVICE, descriptor, direct, None, status)
        try:
            target = self._spanned(target, os.lseek(descriptor, 0, os.SEEK_END))
            if self.wanted.writable:
                self.announce(
                    f"overwrites {device.path}, {size_text(target.span_bytes)} from offset"
                    f" {target.offset_bytes}: what is on it is lost{self._wear()}"
                )
        except BaseException:
            target.close()
            raise
        return target

    def _opened(self, taken: int, mount: Mount | None) -> tuple[int, Direct]:
        try:
            return direct_of(taken, os.O_RDONLY, mount=self._below(mount), name=self.path)
        except OSError as error:
            raise not_opened(self.path, error) from error

    def _below(self, mount: Mount | None) -> Mount | None:
        """The mount that files of a mount are on: another one, of overlay."""
        return mount and (upper_layer(mount, self.roots) or mount)

    def _unseen(self, mount: Mount | None) -> tuple[str, ...]:
        below = self._below(mount)
        if below is None or below.filesystem != "overlay":
            return ()
        return (f"{self.path} is on overlay, whose layers cannot be seen: they may be in memory",)

    def _located(
        self,
        kind: TargetKind,
        descriptor: int,
        direct: Direct,
        mount: Mount | None,
        status: os.stat_result,
    ) -> Target:
        if kind == TargetKind.DEVICE:
            number = node_number(status)
            device = block_device(number, self.roots)
        else:
            number = (os.major(status.st_dev), os.minor(status.st_dev))
            below = self._below(mount)
            if below is not None and below != mount:
                number = below.device_number
            device = device_below(number, below.source if below else None, self.roots)
        return Target(
            kind,
            self.path,
            descriptor,
            self.wanted.offset_bytes,
            0,
            writable=self.wanted.writable,
            direct=direct,
            mount=mount,
            device=device,
            device_number=number,
            warnings=(*_through_page_cache(device), *self._unseen(mount)),
        )

    def _spanned(self, target: Target, size_bytes: int) -> Target:
        """The target with its span: all from the offset on, or what was asked if it is there."""
        self._check_direct(target.direct)
        if size_bytes == 0:
            raise UnableError(f"{self.path}: has no medium, or no size", "lsblk shows sizes")
        wanted, unit = self.wanted, target.direct.alignment_bytes
        if wanted.offset_bytes < 0 or wanted.offset_bytes % unit:
            raise UsageError(
                f"{self.path}: an offset of {wanted.offset_bytes} bytes is no multiple of its"
                f" {unit}",
                f"begin at a multiple of {max(unit, _PAGE_BYTES)}",
            )
        left_bytes = max(0, size_bytes - wanted.offset_bytes)
        span_bytes = left_bytes if wanted.span_bytes is None else wanted.span_bytes
        if span_bytes > left_bytes:
            raise UsageError(
                f"{self.path}: is smaller than the span of {size_text(span_bytes)} from offset"
                f" {wanted.offset_bytes}: it has {size_text(size_bytes)}",
                f"ask for a span of at most {size_text(left_bytes)}"
                if left_bytes
                else "begin before its end",
            )
        spanned = replace(target, span_bytes=span_bytes // unit * unit)
        for block_bytes in wanted.block_bytes:
            spanned.check_block(block_bytes)
        return spanned

    def _check_direct(self, direct: Direct) -> None:
        if self.wanted.need_direct and not direct.had:
            raise UnableError(
                f"{self.path}: {direct.why_not}, so only the page cache could be measured",
                "name a file or directory of a filesystem on a disk; stallscope io probe --cached"
                " measures the page cache",
            )

    def _wear(self) -> str:
        if not self.wanted.writable:
            return ""
        if self.wanted.writes_bytes is None:
            return ", and what the measurement writes"
        return f", and at most {size_text(self.wanted.writes_bytes)} by the measurement"


def _through_page_cache(device: BlockDevice | None) -> tuple[str, ...]:
    """A loop device reads its file through the page cache, unless it was told not to."""
    if device is None or read_text(device.folder / "loop" / "dio") != "0":
        return ()
    note = f"{device.path} reads its file through the page cache, so memory is measured too"
    return (f"{note} (losetup --direct-io=on {device.path})",)
