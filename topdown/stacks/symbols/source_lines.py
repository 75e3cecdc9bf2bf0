"""Source lines and inlined functions of the hottest addresses, read in a limited process."""

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from stallscope.printable import printable
from topdown.stacks.elf.file import PT_LOAD, ElfError, ElfFile, StoredSection, addresses_of
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.debug_files import DebugFiles, find_debug_files
from topdown.stacks.symbols.limited_reader import LimitedReader, ReaderOutput
from topdown.stacks.symbols.reading_limits import ReadingBudget, ReadingLimits
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.unit_locations import SourceLocation, UnitLocations

if TYPE_CHECKING:
    from stallscope._native import Capture, Object

# Address space: a section takes its size of it, and memory only for what is read of it.
_MEMORY_BYTES = 8 << 30
_SECTIONS = (
    ".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_line_str",
    ".debug_str_offsets", ".debug_addr", ".debug_ranges", ".debug_rnglists", ".debug_aranges",
)  # fmt: skip
_DECODER = msgspec.json.Decoder(UnitLocations)
_GRACE_S = 1.0  # the limit on CPU time should take effect before that on elapsed time


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
    lines = _LinesBuilder(sources)
    end_s = time.monotonic() + budget_s
    budget = ReadingBudget(2 * budget_s, 2 * budget_s)

    def read(request: bytes) -> Iterator[bytes]:
        return _read_locations(files[int(request)], sources)

    with LimitedReader(read, budget=budget) as reader:
        for number, file in enumerate(files):
            part_s = (end_s - time.monotonic()) / (len(files) - number)
            if part_s <= 0:
                lines.add_missing(f"the time limit of {budget_s:g} s was reached", len(file.frames))
                continue
            limits = ReadingLimits(memory_bytes(), part_s, part_s + _GRACE_S)
            lines.add_output(file, reader.output(b"%d" % number, limits))
    return lines.result()


class _LinesBuilder:
    """The locations read so far, and the addresses that have none or may lack something."""

    def __init__(self, sources: SymbolSources) -> None:
        self._sources = sources
        self._locations: dict[int, SourceLocation] = {}
        self._missing: Counter[str] = Counter()  # addresses by the limit that was reached
        self._damaged = 0  # addresses in damaged units
        self._split = 0  # addresses whose functions are in .dwo files
        self._unreadable = 0  # units

    def add_missing(self, reason: str, count: int) -> None:
        self._missing[reason] += count

    def add_output(self, file: FileFrames, output: ReaderOutput) -> None:
        before = len(self._locations)
        for text in output.content.split(b"\n")[:-1]:  # the last line may be incomplete
            unit = _DECODER.decode(text)
            self._unreadable += unit.unreadable_units
            self._split += unit.split_addresses
            if unit.damaged:
                self._damaged += sum(map(len, unit.places))
            self._locations.update(
                (int(file.frames[place]), _mapped(location, self._sources))
                for place, location in unit.locations()
            )
        if output.failure:
            self._missing[output.failure] += len(file.frames) - (len(self._locations) - before)

    def result(self) -> SourceLines:
        warnings = [
            ProfileWarning(
                "lines-cut", f"{count:,} addresses have no source lines: {printable(limit)}."
            )
            for limit, count in self._missing.items()
            if count
        ]
        if self._damaged:
            message = (
                f"{self._damaged:,} addresses may lack source lines or inlined functions: "
                "the debug information of their compilation units is damaged."
            )
            warnings.append(ProfileWarning("lines-damaged", message))
        if self._split:
            message = (
                f"{self._split:,} addresses lack inlined functions: these are in .dwo files "
                "(-gsplit-dwarf), which are not read."
            )
            warnings.append(ProfileWarning("lines-split", message))
        if self._unreadable:
            message = (
                f"{self._unreadable:,} compilation units of debug information are not readable."
            )
            warnings.append(ProfileWarning("units-unreadable", message))
        return SourceLines(self._locations, tuple(warnings))


def _mapped(location: SourceLocation, sources: SymbolSources) -> SourceLocation:
    """Return the location with its paths in this system's source tree."""
    if not sources.source_map:
        return location
    calls = tuple(_mapped_line(call, sources) for call in location.calls)
    return replace(location, line=_mapped_line(location.line, sources), calls=calls)


def _mapped_line(line: str | None, sources: SymbolSources) -> str | None:
    if line is None:
        return None
    path, colon, number = line.rpartition(":")
    return f"{sources.source_path(path)}{colon}{number}"


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


def memory_bytes() -> int:
    """Return the memory for debug information: at most half of this machine's."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(_MEMORY_BYTES, physical // 2)


def _read_locations(file: FileFrames, sources: SymbolSources) -> Iterator[bytes]:
    """Yield a line of JSON per unit; runs in the limited process."""
    with ExitStack() as files:
        opened = find_debug_files(file.mapped, sources, files)
        if opened is None:
            return
        addresses, in_segment = addresses_of(loaded_segments(opened.main), file.addresses)
        places: dict[int, list[int]] = {}
        for index in np.flatnonzero(in_segment).tolist():
            places.setdefault(int(addresses[index]), []).append(index)
        for unit in read_units(opened, places):
            yield msgspec.json.encode(unit) + b"\n"


def read_units(opened: DebugFiles, places: dict[int, list[int]]) -> Iterator[UnitLocations]:
    """Yield the locations of addresses in the file by unit; the last one counts unreadable units.

    ``places``: numbers of frames by address. For the limited process. Raises ElfError.
    """
    from stallscope._native import SourceLocationReader  # noqa: PLC0415

    shared = opened.supplementary
    try:
        reader = SourceLocationReader(
            opened.descriptor,
            _stored_sections(opened.debug),
            opened.supplementary_descriptor,
            {} if shared is None else _stored_sections(shared),
        )
        for part in range(reader.assign(np.array(list(places), np.uint64))):
            yield UnitLocations.of_columns(reader.locate(part), places)
    except ValueError as error:
        raise ElfError(f"the debug information is malformed: {error}") from error
    yield UnitLocations(unreadable_units=reader.unreadable_units)


def _stored_sections(file: ElfFile) -> dict[str, StoredSection]:
    """Return where the sections of debug information are stored."""
    if file.header.order != "<":
        raise ElfError("the debug information is big-endian")
    sections = {}
    for name in _SECTIONS:
        stored = file.stored_section(name.encode())
        if stored is not None:
            sections[name] = stored
    return sections


def loaded_segments(file: ElfFile) -> npt.NDArray[np.void]:
    """Return the segments that are loaded into memory."""
    return np.asarray(file.segments[file.segments["type"] == PT_LOAD])
