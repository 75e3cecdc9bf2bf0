"""Samples of user code by the kind of the instruction before, and the hottest instructions.

Binaries are untrusted, so a limited process reads the code of sampled functions. Decoding it is
bounded by its size.
"""

import json
import os
import posixpath
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from stallscope.regular_file import RefusedFileError
from topdown.slots.without_pmu.disassembly import (
    DecodedInstruction,
    Disassembler,
    FunctionCode,
)
from topdown.slots.without_pmu.instruction_kinds import InstructionKind
from topdown.stacks.elf.file import ElfError, ElfFile
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.binaries import find_binary
from topdown.stacks.symbols.function_table import demangled
from topdown.stacks.symbols.limited_reader import LimitedReader
from topdown.stacks.symbols.object_symbols import read_object
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.vdso import VDSO, vdso_image

if TYPE_CHECKING:
    from stallscope._native import Capture, Object

# Longer functions are not decoded, and at most the hottest 4 MiB of all functions: 3 s.
MAX_FUNCTION_BYTES = 256 << 10
MAX_DECODED_BYTES = 4 << 20
_OUTPUT_LIMIT = MAX_DECODED_BYTES + (4 << 20)  # code, and the lengths of functions
MAX_HOTTEST = 5
_Addresses = dict[int, int]  # samples by address in a file


@dataclass(frozen=True, slots=True)
class HotInstruction:
    """An instruction before sampled addresses, its function, and its samples."""

    text: str
    function: str
    samples: int


@dataclass(frozen=True, slots=True)
class SampledInstructions:
    """Samples of user code by the kind of the instruction before them.

    ``undetermined`` samples have possible predecessors of different kinds. ``undecoded`` samples
    are in code that could not be read: generated, deleted or too long.
    """

    kinds: tuple[tuple[InstructionKind, int], ...]
    undetermined: int
    undecoded: int
    hottest: tuple[HotInstruction, ...]

    @property
    def samples(self) -> int:
        """Return the number of samples of user code."""
        return sum(count for _, count in self.kinds) + self.undetermined + self.undecoded


@dataclass(frozen=True, slots=True)
class _SampledFunction:
    """A function with samples.

    All addresses are file offsets, like those of samples: within a function they differ from the
    process's addresses by a constant.
    """

    name: str
    offset: int
    length: int
    samples: _Addresses


@dataclass(slots=True)
class _Tally:
    kinds: Counter[InstructionKind]
    instructions: Counter[tuple[str, str]]
    undetermined: int = 0
    undecoded: int = 0
    bytes_left: int = MAX_DECODED_BYTES

    def add(
        self, before: dict[int, DecodedInstruction], samples: _Addresses, function: str
    ) -> None:
        for address, count in samples.items():
            instruction = before.get(address)
            if instruction is None:
                self.undetermined += count
            else:
                self.kinds[instruction.kind] += count
                self.instructions[instruction.text, function] += count


def sampled_instructions(
    capture: "Capture", frames: npt.NDArray[np.uint32], sources: SymbolSources
) -> SampledInstructions:
    """Return user samples by kind of instruction; ``frames`` (n_user_samples,) are leaf frames."""
    numbers, counts = np.unique(frames, return_counts=True)
    objects = capture.frame_object[numbers]
    mapped_objects = capture.objects
    tally = _Tally(Counter(), Counter())
    weights = [(int(counts[objects == number].sum()), number) for number in np.unique(objects)]

    def read(request: bytes) -> Iterator[bytes]:
        number, ranges = json.loads(request)
        return _read_code(mapped_objects[number], ranges, sources)

    limits = replace(sources.limits, output_bytes=_OUTPUT_LIMIT)
    with LimitedReader(read, limits, sources.budget) as reader:
        for _, number in sorted(weights, key=lambda pair: -pair[0]):
            of_object = objects == number
            addresses = capture.frame_address[numbers[of_object]]
            samples = dict(zip(addresses.tolist(), counts[of_object].tolist(), strict=True))
            if number >= 0:
                functions = _functions(mapped_objects[number], samples, sources, tally.bytes_left)
                _count_functions(int(number), functions, reader, tally, samples)
            tally.undecoded += sum(samples.values())
    return SampledInstructions(
        kinds=tuple(tally.kinds.most_common()),
        undetermined=tally.undetermined,
        undecoded=tally.undecoded,
        hottest=tuple(
            HotInstruction(text, function, count)
            for (text, function), count in tally.instructions.most_common(MAX_HOTTEST)
        ),
    )


def _functions(
    mapped: "Object", samples: _Addresses, sources: SymbolSources, max_bytes: int
) -> list[_SampledFunction]:
    """Return the sampled functions of a file, the hottest first, of ``max_bytes`` at most."""
    symbols = read_object(mapped, sources)
    if symbols.table is None:
        return []
    offsets = np.array(sorted(samples), np.uint64)
    addresses, in_segment = symbols.symbol_addresses(offsets)
    groups = np.where(in_segment, symbols.table.look_up(addresses), -1)
    weights = np.array([samples[offset] for offset in offsets.tolist()], np.int64)
    hot = np.unique(groups[groups >= 0])
    by_weight = sorted(hot.tolist(), key=lambda group: -int(weights[groups == group].sum()))
    names = demangled(symbols.table.names(np.array(by_weight, np.int64)))
    functions = []
    for group, name in zip(by_weight, names, strict=True):
        rows = np.flatnonzero(groups == group)
        start, end = int(symbols.table.start[group]), int(symbols.table.end[group])
        offset = int(offsets[rows[0]]) - (int(addresses[rows[0]]) - start)
        if end - start > MAX_FUNCTION_BYTES or offset < 0:
            continue
        max_bytes -= end - start
        if max_bytes < 0:
            break
        within = {sampled: samples[sampled] for sampled in offsets[rows].tolist()}
        functions.append(_SampledFunction(name or _file_name(mapped), offset, end - start, within))
    return functions


def _count_functions(
    number: int,
    functions: list[_SampledFunction],
    reader: LimitedReader,
    tally: _Tally,
    samples: _Addresses,
) -> None:
    """Add the samples of functions that can be decoded to the tally; remove them from samples."""
    if not functions:
        return
    ranges = [(function.offset, function.length) for function in functions]
    output = reader.output(json.dumps([number, ranges]).encode())
    if output.failure or not output.content:
        return
    header, _, content = output.content.partition(b"\n")
    machine, lengths = json.loads(header)
    if not Disassembler.decodes(machine):
        return
    disassembler = Disassembler(machine)
    start = 0
    for function, length in zip(functions, lengths, strict=True):
        code = FunctionCode(function.offset, content[start : start + length])
        start += length
        tally.bytes_left -= length
        if length:
            before = disassembler.before(code, list(function.samples))
            tally.add(before, function.samples, function.name)
            for address in function.samples:
                del samples[address]


def _read_code(
    mapped: "Object", ranges: list[tuple[int, int]], sources: SymbolSources
) -> Iterator[bytes]:
    """Yield machine and lengths, and the bytes of each range; runs in the limited process.

    Nothing is yielded if the file is not available; a range that cannot be read has length 0.
    """
    with ExitStack() as files:
        file = _open(mapped, sources, files)
        if file is None:
            return
        parts = [_content(file, offset, length) for offset, length in ranges]
        lengths = [len(part) for part in parts]
        yield json.dumps([file.header.machine, lengths]).encode() + b"\n"
        yield from parts


def _content(file: ElfFile, offset: int, length: int) -> bytes:
    try:
        return file.source.read(offset, min(length, file.source.size - offset))
    except RefusedFileError:
        return b""


def _open(mapped: "Object", sources: SymbolSources, files: ExitStack) -> ElfFile | None:
    """Return the file of a mapped object, or None if it is not a file or is not available."""
    try:
        if mapped.path == VDSO:
            image = vdso_image(mapped, sources)
            return None if image is None else ElfFile(image)
        if not mapped.path.startswith(b"/"):
            return None
        binary = find_binary(mapped, sources, files)
    except ElfError:
        return None
    return None if isinstance(binary, ProfileWarning) else binary.main


def _file_name(mapped: "Object") -> str:
    """Return the name of the file, for a function without a symbol."""
    return posixpath.basename(os.fsdecode(mapped.path)) or "(no name)"
