"""Functions of known machine code."""

from topdown.slots.without_pmu.disassembly import FunctionCode

START = 0x1000


def x86(*instructions: str) -> tuple[FunctionCode, list[int]]:
    """The code of these instructions in hexadecimal, and their addresses."""
    parts = [bytes.fromhex(instruction) for instruction in instructions]
    addresses = [START + sum(map(len, parts[:number])) for number in range(len(parts))]
    return FunctionCode(START, b"".join(parts)), addresses
