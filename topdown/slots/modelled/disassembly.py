"""The executed instructions of a binary, by binutils' objdump: only where the program was hot."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from stallscope.errors import UnableError
from topdown.slots.modelled.callgrind_file import ADDRESS_BITS
from topdown.slots.modelled.instructions import Instruction, decode

MOST_BYTES = 256 * 2**20
MOST_RANGES = 24  # of an object: objdump is started for each
MOST_OBJECTS = 32
MOST_CODE_BYTES = 8 * 2**20  # of an object
NEAR_BYTES = 4096
NEAR_BYTES_OF_MANY = 65_536
LONGEST_INSTRUCTION = 15
TIMEOUT_S = 120
_LINE = re.compile(r"\s*([0-9a-f]{1,16}):\s+(.*\S)")
_MASK = 2**ADDRESS_BITS - 1


@dataclass(frozen=True, slots=True)
class Line:
    """An instruction's text, and the code address of the one after it."""

    text: str
    following: int

    @property
    def instruction(self) -> Instruction:
        """Return what the text means."""
        return _decoded(self.text)


@cache
def _decoded(text: str) -> Instruction:
    return decode(text)


def objdump_program() -> str:
    """Return objdump's path; UnableError where there is none."""
    path = shutil.which("objdump")
    if path is None:
        raise UnableError(
            "--source model reads code with objdump, which is not here",
            "install the package binutils",
        )
    return path


def disassemble(objects: list[str], executed: Mapping[int, int]) -> dict[int, Line]:
    """Return the instructions around executed code addresses, by code address.

    ``executed`` says how often; the most executed objects and pieces of code go first where there
    is too much. An object that cannot be read, or is of another architecture, yields none. Raises
    UnableError where there is no objdump.
    """
    program = objdump_program()
    by_object: dict[int, dict[int, int]] = {}
    for address, count in executed.items():
        by_object.setdefault(address >> ADDRESS_BITS, {})[address & _MASK] = count
    hottest = sorted(by_object, key=lambda number: -sum(by_object[number].values()))
    lines: dict[int, Line] = {}
    for number in hottest[:MOST_OBJECTS]:
        path = objects[number]
        if not path.startswith("/") or not os.path.isfile(path):  # noqa: PTH113 - a stranger's text
            continue
        for start, end in _ranges(by_object[number]):
            text = _objdump(program, path, start, end)
            lines |= dict(_lines(text, number << ADDRESS_BITS))
    return lines


def _ranges(executed: dict[int, int]) -> list[tuple[int, int]]:
    """Return few ranges of code, the most executed first, of a bounded size together."""
    places = sorted(executed)
    cuts = _cuts(places, NEAR_BYTES)
    if len(cuts) >= MOST_RANGES:
        cuts = _cuts(places, NEAR_BYTES_OF_MANY)
    pieces = [
        (sum(executed[place] for place in places[first:last]), places[first], places[last - 1])
        for first, last in pairwise([0, *cuts, len(places)])
    ]
    left = MOST_CODE_BYTES
    kept = []
    for _, start, last in sorted(pieces, reverse=True)[:MOST_RANGES]:
        left -= last - start
        if left < 0:
            break
        kept.append((start, last + LONGEST_INSTRUCTION))
    return kept


def _cuts(places: list[int], near: int) -> list[int]:
    """Return where sorted places lie further apart than this."""
    apart = enumerate(pairwise(places), 1)
    return [number for number, (before, after) in apart if after - before > near]


def _objdump(program: str, path: str, start: int, end: int) -> str:
    words = [program, "-d", "-w", "--no-show-raw-insn", "-M", "intel"]
    words += [f"--start-address={start:#x}", f"--stop-address={end:#x}", "--", path]
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
            env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout[:MOST_BYTES].decode("ascii", "replace")


def _lines(text: str, space: int) -> Iterable[tuple[int, Line]]:
    before: tuple[int, str] | None = None
    for line in text.splitlines():
        found = _LINE.fullmatch(line)
        if found is None:
            continue
        address = int(found[1], 16) & _MASK
        if before is not None and 0 < address - before[0] <= LONGEST_INSTRUCTION:
            yield space | before[0], Line(before[1], space | address)
        before = (address, found[2])
