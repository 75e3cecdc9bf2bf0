"""Source lines and inlined functions of the hottest addresses, read in a limited process."""

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stallscope.printable import MAX_NAME_LENGTH, printable
from stallscope.regular_file import RegularFile
from topdown.stacks.elf.file import PT_LOAD, ElfError, ElfFile, addresses_of
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.binaries import find_binary
from topdown.stacks.symbols.limited_reader import LimitedReader
from topdown.stacks.symbols.reading_limits import ReadingBudget, ReadingLimits
from topdown.stacks.symbols.sources import SymbolSources

if TYPE_CHECKING:
    from stallscope._native import Capture, Object

_MEMORY_BYTES = 2 << 30
_LINE_LIMIT = 1 << 20
_MAX_INLINED = 64
_GRACE_S = 1.0  # the limit on CPU time should take effect before that on elapsed time


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """The source location of an address.

    ``inlined``: linkage names of the functions inlined there, outermost first.
    """

    line: str | None  # "path:line", of the innermost function
    inlined: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class SourceLines:
    """Source locations of frames, and warnings about missing ones."""

    locations: dict[int, SourceLocation]  # by frame
    warnings: tuple[ProfileWarning, ...]


@dataclass(frozen=True, slots=True)
class FileFrames:
    """The frames of one file, by descending samples."""

    mapped: "Object"
    frames: npt.NDArray[np.intp]
    addresses: npt.NDArray[np.uint64]  # offsets in the file


def find_source_lines(
    capture: "Capture",
    frames: npt.NDArray[np.intp],
    sources: SymbolSources,
    *,
    budget_s: float = 10.0,
) -> SourceLines:
    """Return the source locations of these frames, which are sorted by descending samples.

    Files are read in a limited process. Each gets an equal part of the remaining time. If a limit
    is reached, the addresses without a location are counted in a warning that names the limit.
    """
    files = frames_by_file(capture, frames)
    locations: dict[int, SourceLocation] = {}
    missing: Counter[str] = Counter()  # addresses by the limit that was reached
    end_s = time.monotonic() + budget_s
    budget = ReadingBudget(2 * budget_s, 2 * budget_s)

    def read(request: bytes) -> Iterator[bytes]:
        return _read_locations(files[int(request)], sources)

    with LimitedReader(read, budget=budget) as reader:
        for number, file in enumerate(files):
            part_s = (end_s - time.monotonic()) / (len(files) - number)
            if part_s <= 0:
                missing[f"the time limit of {budget_s:g} s was reached"] += len(file.frames)
                continue
            limits = ReadingLimits(_memory_bytes(), part_s, part_s + _GRACE_S)
            output = reader.output(b"%d" % number, limits)
            own_locations = dict(_locations(output.content, len(file.frames)))
            locations.update(
                (int(file.frames[at]), _mapped(location, sources))
                for at, location in own_locations.items()
            )
            if output.failure:
                missing[output.failure] += len(file.frames) - len(own_locations)
    warnings = tuple(
        ProfileWarning(
            "lines-cut", f"{count:,} addresses have no source lines: {printable(limit)}."
        )
        for limit, count in missing.items()
        if count
    )
    return SourceLines(locations, warnings)


def _mapped(location: SourceLocation, sources: SymbolSources) -> SourceLocation:
    """Return the location with its path in this system's source tree."""
    if location.line is None or not sources.source_map:
        return location
    path, colon, number = location.line.rpartition(":")
    return replace(location, line=f"{sources.source_path(path)}{colon}{number}")


def frames_by_file(capture: "Capture", frames: npt.NDArray[np.int64 | np.intp]) -> list[FileFrames]:
    """Return the frames by file, the file with the hottest frame first."""
    objects = capture.frame_object[frames]
    mapped_objects = capture.objects
    files = []
    for number in dict.fromkeys(objects.tolist()):
        mapped = mapped_objects[number] if number >= 0 else None
        if mapped is not None and not mapped.kernel and mapped.path.startswith(b"/"):
            rows = frames[objects == number].astype(np.intp)
            files.append(FileFrames(mapped, rows, capture.frame_address[rows]))
    return files


def _memory_bytes() -> int:
    """Return the memory for debug information: at most half of this machine's."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(_MEMORY_BYTES, physical // 2)


def _read_locations(file: FileFrames, sources: SymbolSources) -> Iterator[bytes]:
    """Yield a line of JSON per location; runs in the limited process."""
    from topdown.stacks.symbols.debug_information import source_locations  # noqa: PLC0415

    with ExitStack() as files:
        opened = open_with_debug_information(file.mapped, sources, files)
        if opened is None:
            return
        main, debug = opened
        addresses, in_segment = addresses_of(loaded_segments(main), file.addresses)
        places: dict[int, list[int]] = {}
        for index in np.flatnonzero(in_segment).tolist():
            places.setdefault(int(addresses[index]), []).append(index)
        stream = files.enter_context(os.fdopen(os.dup(debug.descriptor), "rb"))
        for location in source_locations(stream, places):
            inlined = [name[:MAX_NAME_LENGTH] for name, _ in location["inlined"][:_MAX_INLINED]]
            line = json.dumps([places[location["address"]], location["line"], inlined])
            if len(line) <= _LINE_LIMIT:
                yield line.encode() + b"\n"


def open_with_debug_information(
    mapped: "Object", sources: SymbolSources, files: ExitStack
) -> tuple[ElfFile, RegularFile] | None:
    """Return the mapped file, and the file with its debug information; None without either.

    For the limited process: opening a file can block.
    """
    try:
        binary = find_binary(mapped, sources, files)
    except ElfError:
        return None
    if isinstance(binary, ProfileWarning):
        return None
    debug = _debug_file(binary.main, binary.debug)
    return None if debug is None else (binary.main, debug)


def loaded_segments(file: ElfFile) -> npt.NDArray[np.void]:
    """Return the segments that are loaded into memory."""
    return np.asarray(file.segments[file.segments["type"] == PT_LOAD])


def _debug_file(main: ElfFile, debug: ElfFile | None) -> RegularFile | None:
    """Return the file with debug information, None if there is none."""
    for file in (debug, main):
        try:
            if file is not None and file.section(b".debug_info") is not None:
                return file.source if isinstance(file.source, RegularFile) else None
        except ElfError:
            continue
    return None


def _locations(output: bytes, count: int) -> Iterator[tuple[int, SourceLocation]]:
    """Yield the index and the location of each frame; the last line may be incomplete."""
    for text in output.split(b"\n")[:-1]:
        places, line, names = json.loads(text)
        location = SourceLocation(line, tuple(name.encode() for name in names))
        yield from ((place, location) for place in places if 0 <= place < count)
