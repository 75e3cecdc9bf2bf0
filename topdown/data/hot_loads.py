"""The fields that the hottest loads of a profile read, read in a limited process."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stallscope.printable import MAX_NAME_LENGTH, printable
from stallscope.regular_file import RefusedFileError
from topdown.data.load_kinds import FieldName, LoadKind, decodes
from topdown.stacks.elf.file import ElfFile, addresses_of
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.debug_files import find_debug_files
from topdown.stacks.symbols.limited_reader import LimitedReader
from topdown.stacks.symbols.reading_limits import ReadingBudget, ReadingLimits
from topdown.stacks.symbols.source_lines import FileFrames, frames_by_file, loaded_segments
from topdown.stacks.symbols.sources import SymbolSources

if TYPE_CHECKING:
    from stallscope._native import Capture, Object

MAX_ADDRESSES = 2000  # the hottest; the others are counted as not examined
_LIMITS = ReadingLimits(memory_bytes=2 << 30, cpu_s=10.0, wall_s=20.0)
_BUDGET_S = 40.0


@dataclass(frozen=True, slots=True)
class FieldSamples:
    """A field and the samples whose time was spent in loads of it."""

    name: FieldName
    samples: int


@dataclass(frozen=True, slots=True)
class HotLoads:
    """Samples of user code by what the instruction that took the time reads.

    ``kinds``: samples by kind of instruction. ``frame_fields``: the field by leaf frame.
    """

    samples: int
    kinds: dict[LoadKind, int]
    fields: tuple[FieldSamples, ...]
    frame_fields: dict[int, FieldName]
    warnings: tuple[ProfileWarning, ...]

    @property
    def loads(self) -> int:
        """Return the samples in loads of code with type information."""
        return self.kinds.get(LoadKind.RESOLVED, 0) + self.kinds.get(LoadKind.UNRESOLVED, 0)


def leaf_frames(capture: "Capture") -> npt.NDArray[np.int64]:
    """Return the leaf frame of each sample, -1 for a sample without frames."""
    starts, ends = capture.stack_offset[:-1], capture.stack_offset[1:]
    leaves = np.full(len(starts), -1, np.int64)
    has_frames = ends > starts
    leaves[has_frames] = capture.stack_frame[starts[has_frames].astype(np.intp)]
    return np.asarray(leaves[capture.stack])


def hot_loads(
    capture: "Capture",
    samples: npt.NDArray[np.intp],
    sources: SymbolSources,
    *,
    after: bool,
) -> HotLoads:
    """Return what the loads of these samples read.

    ``samples``: indices of samples. ``after``: their addresses are those of the instruction after
    the one that took the time, as of a timer; precise events report the instruction itself.
    """
    leaves = leaf_frames(capture)[samples]
    frames, counts = np.unique(leaves[leaves >= 0], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    weight = dict(zip(frames.tolist(), counts.tolist(), strict=True))
    hottest = frames[order][:MAX_ADDRESSES]
    kinds: Counter[LoadKind] = Counter()
    fields: dict[int, FieldName] = {}
    warnings: list[ProfileWarning] = []
    examined: set[int] = set()
    objects = frames_by_file(capture, hottest)

    def read(request: bytes) -> Iterator[bytes]:
        return _read_loads(objects[int(request)], sources, after=after)

    with LimitedReader(read, _LIMITS, ReadingBudget(_BUDGET_S, _BUDGET_S)) as reader:
        for number, sampled in enumerate(objects):
            output = reader.output(b"%d" % number)
            for line in output.content.split(b"\n")[:-1]:
                index, kind, type_name, name = json.loads(line)
                frame = int(sampled.frames[index])
                examined.add(frame)
                kinds[LoadKind(kind)] += weight[frame]
                if type_name:
                    fields[frame] = FieldName(type_name, name)
            if output.failure:
                warnings.append(_limit_warning(sampled.mapped, output.failure))
    total = len(samples)
    kinds[LoadKind.UNTYPED] += total - sum(kinds.values())
    by_field: Counter[FieldName] = Counter()
    for frame, field in fields.items():
        by_field[field] += weight[frame]
    ranked = tuple(FieldSamples(field, count) for field, count in by_field.most_common())
    return HotLoads(total, dict(kinds), ranked, fields, tuple(warnings))


def _limit_warning(mapped: "Object", limit: str) -> ProfileWarning:
    return ProfileWarning(
        "types-cut", f"{printable(mapped.path)}: not all loads are resolved: {printable(limit)}."
    )


def _read_loads(sampled: FileFrames, sources: SymbolSources, *, after: bool) -> Iterator[bytes]:
    """Yield a line of JSON per address with type information; runs in the limited process."""
    from topdown.data.accessed_fields import sampled_loads  # noqa: PLC0415 - only there

    with ExitStack() as files:
        opened = find_debug_files(sampled.mapped, sources, files)
        if opened is None or not decodes(opened.main.header.machine):
            return
        main = opened.main
        addresses, in_segment = addresses_of(loaded_segments(main), sampled.addresses)
        places = {int(addresses[index]): index for index in np.flatnonzero(in_segment).tolist()}
        stream = files.enter_context(open(opened.descriptor, "rb", closefd=False))
        code = _CodeOf(main)
        for load in sampled_loads(stream, code, places, after=after):
            name = load.field or FieldName("", "")
            texts = [text[:MAX_NAME_LENGTH] for text in (name.type_name, name.field)]
            yield json.dumps([places[load.address], load.kind.value, *texts]).encode() + b"\n"


class _CodeOf:
    """The code of a file by virtual address."""

    def __init__(self, file: ElfFile) -> None:
        self._file = file
        self._segments = loaded_segments(file)

    def __call__(self, address: int, length: int) -> bytes:
        for segment in self._segments:
            offset = address - int(segment["address"])
            if 0 <= offset < int(segment["file_size"]):
                start = int(segment["offset"]) + offset
                try:
                    return self._file.source.read(
                        start, min(length, self._file.source.size - start)
                    )
                except RefusedFileError:
                    return b""
        return b""
