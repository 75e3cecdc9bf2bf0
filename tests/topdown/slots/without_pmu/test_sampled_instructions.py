"""Kinds of sampled instructions, and limits on reading the binaries."""

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from stallscope.regular_file import open_regular
from topdown.slots.without_pmu import sampled_instructions as module
from topdown.slots.without_pmu.instruction_kinds import InstructionKind
from topdown.slots.without_pmu.sampled_instructions import SampledInstructions, sampled_instructions
from topdown.stacks.elf.file import PT_LOAD, ElfFile
from topdown.stacks.symbols.reading_limits import ReadingLimits
from topdown.stacks.symbols.sources import SymbolSources

SOURCE = """
unsigned long quotient(unsigned long a, unsigned long b) { return a / b; }
int main(int count, char **words) { (void)words; return (int)quotient(7, (unsigned long)count); }
"""
SAMPLES = 5


@dataclass(frozen=True)
class MappedFile:
    """An object of a capture."""

    path: bytes
    build_id: bytes
    pid: int = 0
    start: int = 0
    length: int = 0
    kernel: bool = False
    major: int = 0
    minor: int = 0
    inode: int = 0


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program with a division."""
    place = tmp_path_factory.mktemp("divisions") / "program"
    words = ["gcc", "-O1", "-fno-inline", "-Wl,--build-id", "-x", "c", "-", "-o", str(place)]
    subprocess.run(words, input=SOURCE, text=True, check=True)
    return place


def sampled_after_the_division(program: Path, sources: SymbolSources) -> SampledInstructions:
    """The result for samples of the instruction after the division, at its file offset."""
    listing = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True
    ).stdout
    lines = listing.split("<quotient>:\n")[1].splitlines()
    index = next(number for number, line in enumerate(lines) if "div" in line)
    address = int(lines[index + 1].split(":")[0], 16)
    with open_regular(program) as file:
        elf = ElfFile(file)
        loads = elf.segments[elf.segments["type"] == PT_LOAD]
        inside = loads[(loads["address"] <= address) & (address < loads["address"] + loads["size"])]
        offset = address - int(inside["address"][0]) + int(inside["offset"][0])
        build_id = elf.build_id
    capture = SimpleNamespace(
        objects=[MappedFile(os.fsencode(program), build_id)],
        frame_object=np.zeros(1, np.int64),
        frame_address=np.array([offset], np.uint64),
    )
    return sampled_instructions(capture, np.zeros(SAMPLES, np.uint32), sources)


def test_samples_belong_to_the_instruction_before(program: Path) -> None:
    result = sampled_after_the_division(program, SymbolSources())
    assert result.kinds == ((InstructionKind.DIVISION, SAMPLES),)
    assert result.hottest[0].function == "quotient"
    assert result.samples == SAMPLES


def test_a_binary_that_never_answers_leaves_its_samples_undecoded(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find_binary", lambda *_: time.sleep(60))
    sources = SymbolSources(limits=ReadingLimits(wall_s=0.5))
    result = sampled_after_the_division(program, sources)
    assert (result.kinds, result.undecoded) == ((), SAMPLES)


def test_a_binary_that_exhausts_memory_leaves_its_samples_undecoded(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find_binary", lambda *_: bytearray(1 << 40))
    result = sampled_after_the_division(program, SymbolSources())
    assert (result.kinds, result.undecoded) == ((), SAMPLES)
