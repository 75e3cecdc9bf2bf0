"""The two functions of a stripped glibc that call ``main`` and thread functions.

``__libc_start_call_main`` and ``start_thread`` are local symbols, so a distribution's libc has no
names for them, but nearly every chain built from frame pointers ends there. Both decrement the
thread count when they end, with ``lock decl __nptl_nthreads(%rip)``, and that variable is exported
(glibc 2.34 and later: sysdeps/nptl/libc_start_call_main.h, nptl/pthread_create.c).
"""

import re
import struct
from itertools import islice

import numpy as np

from topdown.stacks.elf.file import EM_X86_64, SHT_DYNSYM, ElfFile

_COUNTER = b"__nptl_nthreads\0"
_SYMBOL_SIZE = 24
_DECREMENT = re.compile(rb"\xf0\xff\x0d(....)", re.DOTALL)  # lock decl disp32(%rip)
_TEXT_LIMIT = 16 << 20
_MAX_DECREMENTS = 4096  # glibc has a few hundred
_MAX_THREAD_ENDS = 16  # glibc has two


def thread_ends(file: ElfFile) -> list[int]:
    """Return addresses inside the functions that end a thread; empty if the file is not glibc."""
    counter = _counter_address(file) if file.header.machine == EM_X86_64 else None
    text = file.section(b".text")
    if counter is None or text is None:
        return []
    base = int(file.sections["address"][text])
    addresses = []
    decrements = _DECREMENT.finditer(file.section_content(text, _TEXT_LIMIT))
    for match in islice(decrements, _MAX_DECREMENTS):
        following = base + match.end()
        if following + struct.unpack("<i", match.group(1))[0] == counter:
            addresses.append(base + match.start())
    return addresses[:_MAX_THREAD_ENDS]


def _counter_address(file: ElfFile) -> int | None:
    tables = np.flatnonzero(file.sections["type"] == SHT_DYNSYM)
    if not len(tables) or not file.header.is_64:
        return None
    strings = file.section_content(int(file.sections["link"][int(tables[0])]))
    matches = islice(re.finditer(_COUNTER, strings), _MAX_DECREMENTS)
    name_offsets = [match.start() for match in matches]  # names may share suffixes
    if not name_offsets:
        return None
    symbols = file.section_content(int(tables[0]))
    count = len(symbols) // _SYMBOL_SIZE
    words = np.frombuffer(symbols, "<u4", count * 6).reshape(-1, 6)
    rows = np.flatnonzero(np.isin(words[:, 0], name_offsets) & (words[:, 1] >> 16 != 0))
    if not len(rows):
        return None
    return int(struct.unpack_from("<Q", symbols, int(rows[0]) * _SYMBOL_SIZE + 8)[0])
