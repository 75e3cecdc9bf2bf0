"""The hot instructions of a binary, disassembled by binutils' objdump."""

import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from stallscope.errors import UnableError
from stallscope.programs import installed_program
from topdown.slots.modelled.callgrind_file import ADDRESS_BITS
from topdown.slots.modelled.instructions import Instruction, decode

MAX_OUTPUT_BYTES = 256 * 2**20
MAX_RANGES = 24  # per object; each starts objdump
MAX_OBJECTS = 32
MAX_CODE_BYTES = 8 * 2**20  # per object
GAP_BYTES = 4096
WIDE_GAP_BYTES = 65_536
MAX_INSTRUCTION_BYTES = 15
TIMEOUT_S = 120
_LINE = re.compile(r"\s*([0-9a-f]{1,16}):\s+(.*\S)")
_MASK = 2**ADDRESS_BITS - 1


@dataclass(frozen=True, slots=True)
class DisassemblyLine:
    """An instruction's text and the code address of the next instruction."""

    text: str
    following: int

    @property
    def instruction(self) -> Instruction:
        """Return the decoded instruction."""
        return _decoded(self.text)


@cache
def _decoded(text: str) -> Instruction:
    return decode(text)


def objdump_program() -> str:
    """Return the path of objdump. Raises UnableError without it."""
    path = installed_program("objdump")
    if path is None:
        raise UnableError(
            "--source model disassembles code with objdump, which is not installed",
            "install the package binutils",
        )
    return str(path)


def disassemble(objects: list[str], executed: Mapping[int, int]) -> dict[int, DisassemblyLine]:
    """Return the instructions around executed code addresses, by code address.

    ``executed`` holds execution counts; the most executed objects and ranges take precedence at the
    limits. An object that cannot be read, or of another architecture, has no instructions. Raises
    UnableError without objdump.
    """
    program = objdump_program()
    by_object: dict[int, dict[int, int]] = {}
    for address, count in executed.items():
        by_object.setdefault(address >> ADDRESS_BITS, {})[address & _MASK] = count
    hottest = sorted(by_object, key=lambda number: -sum(by_object[number].values()))
    lines: dict[int, DisassemblyLine] = {}
    for number in hottest[:MAX_OBJECTS]:
        path = objects[number]
        if not path.startswith("/") or not os.path.isfile(path):  # noqa: PTH113 - untrusted text
            continue
        for start, end in _ranges(by_object[number]):
            text = _objdump(program, path, start, end)
            lines |= dict(instruction_lines(text, number << ADDRESS_BITS))
    return lines


def _ranges(executed: dict[int, int]) -> list[tuple[int, int]]:
    """Return few ranges of code, the most executed first, with a limited total size."""
    addresses = sorted(executed)
    cuts = _cuts(addresses, GAP_BYTES)
    if len(cuts) >= MAX_RANGES:
        cuts = _cuts(addresses, WIDE_GAP_BYTES)
    pieces = [
        (
            sum(executed[address] for address in addresses[first:last]),
            addresses[first],
            addresses[last - 1],
        )
        for first, last in pairwise([0, *cuts, len(addresses)])
    ]
    remaining_bytes = MAX_CODE_BYTES
    ranges = []
    for _, start, last in sorted(pieces, reverse=True)[:MAX_RANGES]:
        remaining_bytes -= last - start
        if remaining_bytes < 0:
            break
        ranges.append((start, last + MAX_INSTRUCTION_BYTES))
    return ranges


def _cuts(addresses: list[int], gap: int) -> list[int]:
    """Return the indices before which sorted addresses have a larger gap."""
    pairs = enumerate(pairwise(addresses), 1)
    return [number for number, (before, after) in pairs if after - before > gap]


def _objdump(program: str, path: str, start: int, end: int) -> str:
    words = [program, "-d", "-w", "--no-show-raw-insn", "-M", "intel"]
    words += [f"--start-address={start:#x}", f"--stop-address={end:#x}", "--", path]
    try:
        finished = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
            env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return finished.stdout[:MAX_OUTPUT_BYTES].decode("ascii", "replace")


def instruction_lines(text: str, space: int) -> Iterable[tuple[int, DisassemblyLine]]:
    """Yield the instructions in output of objdump, by code address.

    ``space`` is the object's part of a code address.
    """
    before: tuple[int, str] | None = None
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        address = int(match[1], 16) & _MASK
        if before is not None and 0 < address - before[0] <= MAX_INSTRUCTION_BYTES:
            yield space | before[0], DisassemblyLine(before[1], space | address)
        before = (address, match[2])
