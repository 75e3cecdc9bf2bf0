"""Targets of a measurement: a file, a directory's disk, a block device or a simulated disk.

``open_target`` is the only function that turns a path into a descriptor. It opens for reading
unless writing is requested. Writes go only to a scratch file, or to a device that passes every
check and that the user named twice. The engine gets the descriptor (``pass_fds``), never the path.
"""

import fcntl
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from ioprobe.target.alignment import direct_alignment
from ioprobe.target.block_devices import BlockDevice, block_device, device_below, node_number
from ioprobe.target.device_checks import check_destroy_option, check_unused, open_exclusively
from ioprobe.target.direct_access import DirectAccess, open_direct
from ioprobe.target.holes import hole_share
from ioprobe.target.mounts import Mount, mount_of, upper_layer
from ioprobe.target.open_paths import PATH_REMEDY, open_error, open_path
from ioprobe.target.scratch_file import (
    WriteProgress,
    check_space,
    filesystem_space,
    make_scratch_file,
    write_content,
)
from ioprobe.target.simulated import PREFIX, SimulatedDisk, parse_simulated
from stallscope.closing import Closing
from stallscope.errors import UnableError, UsageError
from stallscope.quantities import size_text
from stallscope.system_files import Roots, read_text

_PAGE_BYTES = 4096
_SIMULATED_BYTES = 2**30
_LIVE = Roots()
_SIMULATED_ACCESS = DirectAccess(True, None, 1)


class TargetKind(StrEnum):
    """The kind of object at a path."""

    FILE = "file"
    DIRECTORY = "directory"
    DEVICE = "device"
    SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class TargetRequirements:
    """The requirements of a measurement on its target."""

    writable: bool = False
    destroy: str | None = None  # the device's name repeated, as "/dev/sdb"
    size_bytes: int = 2**30  # of a scratch file
    span_bytes: int | None = None  # from the offset on; None: all
    offset_bytes: int = 0
    block_bytes: tuple[int, ...] = (_PAGE_BYTES,)
    need_direct: bool = True  # fail without O_DIRECT; otherwise see Target.direct
    writes_bytes: int | None = None  # upper bound of the measurement's writes; None: unknown


@dataclass(frozen=True, slots=True)
class DiskTarget(Closing):
    """An open target; a context manager that closes its descriptor."""

    kind: TargetKind
    path: str  # as on the command line
    descriptor: int | None  # None for a simulated disk
    offset_bytes: int
    span_bytes: int
    writable: bool = False
    is_scratch_file: bool = False
    direct: DirectAccess = _SIMULATED_ACCESS
    mount: Mount | None = None
    device: BlockDevice | None = None  # the device itself, or the filesystem's
    device_number: tuple[int, int] | None = None  # the filesystem's, if its device is unknown
    simulated: SimulatedDisk | None = None
    warnings: tuple[str, ...] = ()

    def close(self) -> None:
        """Close the descriptor, which removes a scratch file; call it once."""
        if self.descriptor is not None:
            with suppress(OSError):  # the disk may be gone; the descriptor is closed all the same
                os.close(self.descriptor)

    @property
    def filesystem(self) -> str | None:
        """Return the filesystem type of a file; None for other targets, or if unknown."""
        return self.mount.filesystem if self.mount and self.kind != TargetKind.DEVICE else None

    def cached(self) -> "DiskTarget":
        """Return the same content opened for reads through the page cache; the caller closes it."""
        descriptor = None
        if self.descriptor is not None:
            descriptor = os.open(f"/proc/self/fd/{self.descriptor}", os.O_RDONLY | os.O_CLOEXEC)
        access = DirectAccess(False, "reads through the page cache were requested", 1)
        return replace(self, descriptor=descriptor, writable=False, direct=access)

    def check_block(self, block_bytes: int) -> None:
        """Raise UsageError if the target does not accept requests of this size."""
        unit = self.direct.alignment_bytes
        if block_bytes < 1 or block_bytes % unit:
            raise UsageError(
                f"{self.path}: a request size of {block_bytes} bytes is not a multiple of {unit}",
                f"use a multiple of {max(unit, _PAGE_BYTES)}",
            )
        if block_bytes > self.span_bytes:
            raise UsageError(
                f"{self.path}: has {size_text(self.span_bytes)}, less than one request of"
                f" {size_text(block_bytes)}",
                "use smaller requests or a larger target",
            )


def open_target(
    path: str,
    requirements: TargetRequirements,
    *,
    announce: Callable[[str], None],
    progress: WriteProgress | None = None,
    roots: Roots = _LIVE,
) -> DiskTarget:
    """Return the target at a path, or the simulated disk that it describes.

    ``announce`` gets a sentence about each write before it happens; ``progress`` is called while a
    scratch file is written. Raises UsageError or UnableError without having changed anything.
    """
    if path.startswith(PREFIX):
        return DiskTarget(
            TargetKind.SIMULATED,
            path,
            None,
            0,
            requirements.span_bytes or _SIMULATED_BYTES,
            requirements.writable,
            simulated=parse_simulated(path),
        )
    opener = _TargetOpener(path, requirements, announce, progress, roots)
    path_descriptor = open_path(path)
    try:
        return opener.open(path_descriptor, os.fstat(path_descriptor))
    finally:
        os.close(path_descriptor)


@dataclass(frozen=True, slots=True)
class _TargetOpener:
    """The arguments of open_target, with a method for each kind of path."""

    path: str
    requirements: TargetRequirements
    announce: Callable[[str], None]
    progress: WriteProgress | None
    roots: Roots

    def open(self, path_descriptor: int, status: os.stat_result) -> DiskTarget:
        """Return the target of an O_PATH descriptor."""
        if stat.S_ISBLK(status.st_mode):
            return self._open_device(path_descriptor, status)
        if self.requirements.destroy is not None:
            raise UsageError(
                f"--destroy {self.requirements.destroy}: {self.path} is not a block device",
                "remove --destroy: files and directories are never overwritten",
            )
        if stat.S_ISDIR(status.st_mode):
            return self._open_scratch_file(path_descriptor, TargetKind.DIRECTORY, ())
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(
                f"{self.path}: is neither a file, a directory nor a block device", PATH_REMEDY
            )
        if not self.requirements.writable:
            return self._open_file(path_descriptor, status)
        parent = os.path.dirname(os.path.realpath(self.path))  # noqa: PTH120
        directory = open_path(parent)
        try:
            note = f"{self.path} is not changed: writes go to a scratch file beside it"
            return self._open_scratch_file(directory, TargetKind.FILE, (note,))
        finally:
            os.close(directory)

    def _open_file(self, path_descriptor: int, status: os.stat_result) -> DiskTarget:
        if status.st_size == 0:
            raise UsageError(
                f"{self.path}: the file is empty",
                "name its directory, to use a scratch file there",
            )
        mount = mount_of(path_descriptor, self.roots)
        descriptor, direct = self._open_for_reads(path_descriptor, mount)
        target = self._target(TargetKind.FILE, descriptor, direct, mount, status)
        try:
            share = hole_share(descriptor, status.st_size)
            if share > 0:
                note = (
                    f"{100 * share:.0f} % of {self.path} was never written: such blocks are read "
                    "without a disk request"
                )
                target = replace(target, warnings=(*target.warnings, note))
            return self._with_span(target, status.st_size)
        except BaseException:
            target.close()
            raise

    def _open_scratch_file(
        self, directory: int, kind: TargetKind, notes: tuple[str, ...]
    ) -> DiskTarget:
        requirements = self.requirements
        size_bytes = requirements.size_bytes // _PAGE_BYTES * _PAGE_BYTES
        where = f"in {self.path}" if kind == TargetKind.DIRECTORY else f"beside {self.path}"
        space = filesystem_space(directory)
        check_space(space, requirements.size_bytes, self.path)
        file = make_scratch_file(directory, self.path)
        try:
            flags = os.O_RDWR if requirements.writable else os.O_RDONLY
            mount = mount_of(file, self.roots)
            descriptor, direct = open_direct(
                file, flags, mount=self._backing_mount(mount), name=self.path
            )
            target = self._target(kind, descriptor, direct, mount, os.fstat(file))
            try:
                target = self._with_span(target, size_bytes)
                self.announce(
                    f"writing a scratch file of {size_text(size_bytes)} {where}, without a name:"
                    f" it is removed at the end; {size_text(space.free_bytes - size_bytes)} of"
                    f" {size_text(space.size_bytes)} stay free; wear: {size_text(size_bytes)}"
                    f"{self._wear_text()}"
                )
                if direct.available:  # avoids evicting other files' pages from the page cache
                    fcntl.fcntl(file, fcntl.F_SETFL, os.O_DIRECT)
                write_content(file, size_bytes, self.path, self.progress)
                return replace(target, is_scratch_file=True, warnings=(*notes, *target.warnings))
            except BaseException:
                target.close()
                raise
        finally:
            os.close(file)

    def _open_device(self, path_descriptor: int, status: os.stat_result) -> DiskTarget:
        number = node_number(status)
        device = block_device(number, self.roots)
        if device is None:
            raise UnableError(
                f"{self.path}: the kernel has no device {number[0]}:{number[1]}",
                "lsblk lists the devices",
            )
        if self.requirements.writable:
            check_destroy_option(device, self.requirements.destroy)
            check_unused(device, self.roots)
            descriptor = open_exclusively(path_descriptor, device, self.roots)
            direct = DirectAccess(True, None, direct_alignment(descriptor, self.path))
        elif self.requirements.destroy is not None:
            raise UsageError(
                f"--destroy {self.requirements.destroy}: this measurement does not write",
                "remove --destroy, or measure writes",
            )
        else:
            descriptor, direct = self._open_for_reads(path_descriptor, None)
        target = self._target(TargetKind.DEVICE, descriptor, direct, None, status)
        try:
            target = self._with_span(target, os.lseek(descriptor, 0, os.SEEK_END))
            if self.requirements.writable:
                self.announce(
                    f"overwriting {device.path}, {size_text(target.span_bytes)} from offset"
                    f" {target.offset_bytes}: its content is lost{self._wear_text()}"
                )
        except BaseException:
            target.close()
            raise
        return target

    def _open_for_reads(
        self, path_descriptor: int, mount: Mount | None
    ) -> tuple[int, DirectAccess]:
        backing = self._backing_mount(mount)
        try:
            return open_direct(path_descriptor, os.O_RDONLY, mount=backing, name=self.path)
        except OSError as error:
            raise open_error(self.path, error) from error

    def _backing_mount(self, mount: Mount | None) -> Mount | None:
        """Return the mount that holds a mount's files: for overlay, the upper layer's."""
        return mount and (upper_layer(mount, self.roots) or mount)

    def _overlay_warning(self, mount: Mount | None) -> tuple[str, ...]:
        backing = self._backing_mount(mount)
        if backing is None or backing.filesystem != "overlay":
            return ()
        return (f"{self.path} is on overlay with unknown layers, which may be in memory",)

    def _target(
        self,
        kind: TargetKind,
        descriptor: int,
        direct: DirectAccess,
        mount: Mount | None,
        status: os.stat_result,
    ) -> DiskTarget:
        if kind == TargetKind.DEVICE:
            number = node_number(status)
            device = block_device(number, self.roots)
        else:
            number = (os.major(status.st_dev), os.minor(status.st_dev))
            backing = self._backing_mount(mount)
            if backing is not None and backing != mount:
                number = backing.device_number
            device = device_below(number, backing.source if backing else None, self.roots)
        return DiskTarget(
            kind,
            self.path,
            descriptor,
            self.requirements.offset_bytes,
            0,
            writable=self.requirements.writable,
            direct=direct,
            mount=mount,
            device=device,
            device_number=number,
            warnings=(*_loop_warning(device), *self._overlay_warning(mount)),
        )

    def _with_span(self, target: DiskTarget, size_bytes: int) -> DiskTarget:
        """Return the target with the requested span, or everything from the offset on."""
        self._check_direct(target.direct)
        if size_bytes == 0:
            raise UnableError(f"{self.path}: has no medium, or no size", "lsblk shows sizes")
        requirements, unit = self.requirements, target.direct.alignment_bytes
        if requirements.offset_bytes < 0 or requirements.offset_bytes % unit:
            raise UsageError(
                f"{self.path}: an offset of {requirements.offset_bytes} bytes is not a multiple"
                f" of {unit}",
                f"use a multiple of {max(unit, _PAGE_BYTES)}",
            )
        left_bytes = max(0, size_bytes - requirements.offset_bytes)
        requested_bytes = requirements.span_bytes
        span_bytes = left_bytes if requested_bytes is None else requested_bytes
        if span_bytes > left_bytes:
            raise UsageError(
                f"{self.path}: has {size_text(size_bytes)}, less than a span of"
                f" {size_text(span_bytes)} from offset {requirements.offset_bytes}",
                f"use a span of at most {size_text(left_bytes)}"
                if left_bytes
                else "use a smaller offset",
            )
        with_span = replace(target, span_bytes=span_bytes // unit * unit)
        for block_bytes in requirements.block_bytes:
            with_span.check_block(block_bytes)
        return with_span

    def _check_direct(self, direct: DirectAccess) -> None:
        if self.requirements.need_direct and not direct.available:
            raise UnableError(
                f"{self.path}: {direct.missing}, so only the page cache could be measured",
                "name a file or directory on a disk's filesystem, or measure the page cache with"
                " stallscope io probe --cached",
            )

    def _wear_text(self) -> str:
        if not self.requirements.writable:
            return ""
        if self.requirements.writes_bytes is None:
            return ", and the writes of the measurement"
        return f", and at most {size_text(self.requirements.writes_bytes)} by the measurement"


def _loop_warning(device: BlockDevice | None) -> tuple[str, ...]:
    """Return a warning for a loop device that reads its file through the page cache."""
    if device is None or read_text(device.folder / "loop" / "dio") != "0":
        return ()
    note = f"{device.path} reads its file through the page cache, so memory is measured too"
    return (f"{note} (losetup --direct-io=on {device.path})",)
