"""ELF files built from C, and references by binutils."""

import struct

import numpy as np


def all_names(table) -> set[str]:
    return {name.decode() for name in table.names(np.arange(len(table)))}


def tiny_elf(*, is_64: bool, order: str, symbols: int = 1) -> bytes:
    """An ELF file with sections null, .text, .symtab and .strtab."""
    strings = b"\0walk\0"
    if is_64:
        header, section, entry = 64, 64, struct.pack(order + "IBBHQQ", 1, 0x12, 0, 1, 0x1000, 16)
    else:
        header, section, entry = 52, 40, struct.pack(order + "IIIBBH", 1, 0x1000, 16, 0x12, 0, 1)
    table = b"\0" * len(entry) + entry * symbols
    body = table + strings
    layout = order + ("IIQQQQIIQQ" if is_64 else "IIIIIIIIII")
    rows = [
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (0, 1, 6, 0x1000, 0, 64, 0, 0, 1, 0),
        (0, 2, 0, 0, header, len(table), 3, 1, 8, len(entry)),
        (0, 3, 0, 0, header + len(table), len(strings), 0, 0, 1, 0),
    ]
    ident = b"\x7fELF" + bytes((2 if is_64 else 1, 1 if order == "<" else 2, 1)) + b"\0" * 9
    word = "Q" if is_64 else "I"
    places = (0, 0, header + len(body), 0, header, 0, 0, section, len(rows), 0)
    head = ident + struct.pack(order + f"HHI{word}{word}{word}IHHHHHH", 2, 0x3E, 1, *places)
    return head + body + b"".join(struct.pack(layout, *row) for row in rows)
