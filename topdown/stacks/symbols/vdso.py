"""The vdso's image, which is not in a file: recorded, or that of the running kernel.

Recorders copy it; so numpy, which reading an ELF file loads, is imported where a build id is read.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from stallscope.private_directory import private_directory, write_atomic
from stallscope.regular_file import MemoryImage, RefusedFileError, open_in_root
from topdown.stacks.symbols.sources import SymbolSources

if TYPE_CHECKING:
    from stallscope._native import Object

VDSO = b"[vdso]"
_MAPS_LIMIT = 1 << 20
_VDSO_LIMIT = 1 << 20
_VDSO_COPY = "vdso"  # in binaries/, whose other files are named by build id or inode


def copy_vdso(directory: Path) -> None:
    """Copy the vdso into a recording, so that it can be analyzed on other machines.

    Raises OSError if ``directory`` cannot be written.
    """
    image = _live_vdso()
    if image is not None:
        with private_directory(directory / "binaries") as folder:
            write_atomic(folder, _VDSO_COPY, [image.read(0, image.size)])


def vdso_image(mapped: "Object", sources: SymbolSources) -> MemoryImage | None:
    """Return the vdso that was mapped: the recording's copy, else the live one if it is the same.

    The live vdso is the same if the boot id or the build id is equal.
    """
    recorded, live = _recorded_vdso(sources), _live_vdso()
    candidates = ((recorded, True), (live, sources.same_boot()))
    for image, is_recorded in candidates:
        if image is None or mapped.length not in (0, image.size):
            continue
        if _build_id(image) == mapped.build_id if mapped.build_id else is_recorded:
            return image
    return None


def is_live_vdso(image: MemoryImage) -> bool:
    """Return whether this is the vdso of the running kernel."""
    live = _live_vdso()
    return live is not None and live.read(0, live.size) == image.read(0, image.size)


def _build_id(image: MemoryImage) -> bytes:
    from topdown.stacks.elf.file import ElfError, ElfFile  # noqa: PLC0415 - loads numpy

    try:
        return ElfFile(image).build_id
    except ElfError:
        return b""


def _recorded_vdso(sources: SymbolSources) -> MemoryImage | None:
    if sources.recording is None:
        return None
    try:
        with open_in_root(sources.recording / "binaries", os.fsencode(_VDSO_COPY)) as file:
            if file.size > _VDSO_LIMIT:
                return None
            return MemoryImage("[vdso]", file.read(0, file.size))
    except RefusedFileError:
        return None


def _live_vdso() -> MemoryImage | None:
    try:
        with Path("/proc/self/maps").open("rb") as file:
            maps = file.read(_MAPS_LIMIT)
    except OSError:
        return None
    for line in maps.split(b"\n"):
        if not line.endswith(VDSO):
            continue
        start, _, end = line.split(b" ", 1)[0].partition(b"-")
        length = int(end, 16) - int(start, 16)
        if length > _VDSO_LIMIT:
            return None
        try:
            with Path("/proc/self/mem").open("rb", buffering=0) as memory:
                memory.seek(int(start, 16))
                return MemoryImage("[vdso]", memory.read(length))
        except (OSError, ValueError):
            return None
    return None
