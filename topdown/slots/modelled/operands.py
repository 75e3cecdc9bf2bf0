"""Operands of x86-64 instructions in Intel syntax: registers and memory locations."""

import re
from dataclasses import dataclass

_LEGACY = {"ax": "rax", "bx": "rbx", "cx": "rcx", "dx": "rdx"}
_POINTERS = {"si": "rsi", "di": "rdi", "bp": "rbp", "sp": "rsp"}
_VECTOR_BYTES = {"x": 16, "y": 32, "z": 64}
_SIZES = {
    "BYTE": 1,
    "WORD": 2,
    "DWORD": 4,
    "FWORD": 6,
    "QWORD": 8,
    "TBYTE": 10,
    "XMMWORD": 16,
    "YMMWORD": 32,
    "ZMMWORD": 64,
}
_MEMORY = re.compile(r"(?:(\w+) (?:PTR|BCST) )?(?:[c-gs]s:)?(?:\[([^\]]*)\]|0x[0-9a-f]+)", re.I)
_MASK = re.compile(r"\{[^}]*\}")
_TERM = re.compile(r"([+-]?)([^+-]+)")


@dataclass(frozen=True, slots=True)
class Register:
    """A register by its full name ("rax" for al) and the size of the operand."""

    whole: str
    size_bytes: int

    @property
    def is_vector(self) -> bool:
        """Return whether it is a register of SSE, AVX or AVX-512."""
        return self.whole.startswith("v")


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory location: base + index * scale + displacement; missing registers are empty."""

    base: str
    index: str
    scale: int
    displacement: int
    size_bytes: int  # 0: unknown

    @property
    def registers(self) -> tuple[str, ...]:
        """Return the registers of the address."""
        return tuple(name for name in (self.base, self.index) if name and name != "rip")


Operand = Register | Memory | int | None


def _registers() -> dict[str, Register]:
    table: dict[str, Register] = {}
    for short, whole in (_LEGACY | _POINTERS).items():
        table |= {f"r{short}": Register(whole, 8), f"e{short}": Register(whole, 4)}
        table[short] = Register(whole, 2)
        low = f"{short[0]}l" if short in _LEGACY else f"{short}l"
        table[low] = Register(whole, 1)
        if short in _LEGACY:
            table[f"{short[0]}h"] = Register(whole, 1)
    for number in range(8, 16):
        for suffix, size in (("", 8), ("d", 4), ("w", 2), ("b", 1)):
            table[f"r{number}{suffix}"] = Register(f"r{number}", size)
    for number in range(32):
        for letter, size in _VECTOR_BYTES.items():
            table[f"{letter}mm{number}"] = Register(f"v{number}", size)
    for number in range(8):
        table[f"k{number}"] = Register(f"k{number}", 8)
        table[f"st({number})"] = Register("st", 10)
        table[f"mm{number}"] = Register(f"mm{number}", 8)
    table["st"] = Register("st", 10)
    table["rip"] = Register("rip", 8)
    return table


REGISTERS = _registers()


def split_operands(text: str) -> list[str]:
    """Return an instruction's operands; commas inside brackets are not separators."""
    parts: list[str] = []
    depth = 0
    start = 0
    for position, letter in enumerate(text):
        if letter in "[(":
            depth += 1
        elif letter in "])":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]] if text else []


def operand(text: str) -> Operand:
    """Return an operand, or None if it is unknown."""
    if "{" in text:
        text = _MASK.sub("", text)
    text = text.strip()
    register = REGISTERS.get(text)
    if register is not None:
        return register
    match = _MEMORY.fullmatch(text)
    if match is not None and (match[2] is not None or match[1]):
        return _memory(match[1] or "", match[2] or "")
    try:
        return int(text, 0)
    except ValueError:
        return None


def _memory(size: str, inside: str) -> Memory | None:
    base = index = ""
    scale, displacement = 1, 0
    for sign, term in _TERM.findall(inside):
        name, times, factor = term.partition("*")
        if times or (name in REGISTERS and base):
            index, scale = name, int(factor) if factor.isdecimal() else 1
        elif name in REGISTERS:
            base = name
        else:
            try:
                value = int(term, 0)
            except ValueError:
                continue  # a pseudo index such as riz
            displacement += -value if sign == "-" else value
    return Memory(
        REGISTERS[base].whole if base else "",
        REGISTERS[index].whole if index in REGISTERS else "",
        scale,
        displacement,
        _SIZES.get(size.upper(), 0),
    )
