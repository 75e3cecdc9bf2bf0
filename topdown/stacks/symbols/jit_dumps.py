"""Dumps of JIT compilers: jit-PID.dump, written by the target and not trusted.

The format is that of perf (tools/perf/Documentation/jitdump-specification.txt); Julia, Wasmtime and
others write it. A process maps its dump as a marker, so the path is in its mappings; otherwise it
is expected in /tmp. Of a dump only addresses, sizes and names are read, as lines of a symbol map.
"""

import re
import struct
from collections.abc import Iterator
from pathlib import Path

from stallscope.regular_file import MissingFileError, RefusedFileError, RegularFile
from topdown.stacks.symbols.jit_files import MAP_LIMIT, MAX_LINES, open_owned, process_identity

DUMP_LIMIT = 4 << 30  # most of a dump is code, which is not read
_MAPS_LIMIT = 64 << 20
_MAGIC = 0x4A695444
_VERSION = 1
_HEADER = struct.Struct("<IIIIIIQQ")
_RECORD = struct.Struct("<IIQ")
_LOAD = struct.Struct("<IIQQQQ")
_MOVE = struct.Struct("<IIQQQQQ")
_CODE_LOAD, _CODE_MOVE, _CODE_CLOSE = 0, 1, 3
_MAX_NAME = 4096
_BLOCK_LINES = 4096
_LINE_BREAKS = bytes.maketrans(b"\n\r", b"  ")


def open_jit_dump(pid: int, proc: Path) -> RegularFile:
    """Return the dump that a live process wrote; raises RefusedFileError if not trusted."""
    inner_pid, owner = process_identity(pid, proc)
    name = b"jit-%d.dump" % inner_pid
    path = _mapped_path(proc / str(pid) / "maps", name) or b"tmp/" + name
    return open_owned(proc / str(pid) / "root", path, owner)


def _mapped_path(maps: Path, name: bytes) -> bytes | None:
    """Return the path of the first mapping of a file with this name."""
    try:
        with maps.open("rb") as file:
            text = file.read(_MAPS_LIMIT)
    except OSError as error:
        raise MissingFileError(f"{maps}: cannot be read") from error
    match = re.search(rb" +/([^\n]*/)?" + re.escape(name) + rb"$", text, re.MULTILINE)
    return match.group().lstrip(b" /") if match else None


def dump_lines(file: RegularFile) -> Iterator[bytes]:
    """Yield the functions of a dump as blocks of lines of a symbol map, in their order.

    A damaged dump ends at the damage. Raises RefusedFileError if the file is not such a dump.
    """
    if file.size < _HEADER.size:
        raise RefusedFileError(f"{file.name}: too short for a dump of JIT-compiled code")
    magic, version, header_size, *_ = _HEADER.unpack(file.read(0, _HEADER.size))
    if (magic, version) != (_MAGIC, _VERSION):
        raise RefusedFileError(
            f"{file.name}: expected a dump of JIT-compiled code of version {_VERSION} "
            "in this machine's byte order"
        )
    lines: list[bytes] = []
    for line in _lines(file, header_size):
        lines.append(line)
        if len(lines) == _BLOCK_LINES:
            yield b"".join(lines)
            lines.clear()
    yield b"".join(lines)


def _lines(file: RegularFile, offset: int) -> Iterator[bytes]:
    names: dict[int, bytes] = {}
    size, written = min(file.size, DUMP_LIMIT), 0
    while offset + _RECORD.size <= size and written < MAP_LIMIT and len(names) < MAX_LINES:
        kind, length, _ = _RECORD.unpack(file.read(offset, _RECORD.size))
        if length < _RECORD.size or offset + length > size or kind == _CODE_CLOSE:
            return
        body = length - _RECORD.size
        line = b""
        if kind == _CODE_LOAD and body > _LOAD.size:
            content = file.read(offset + _RECORD.size, min(body, _LOAD.size + _MAX_NAME))
            _, _, _, address, code_size, index = _LOAD.unpack_from(content)
            names[index] = content[_LOAD.size :].split(b"\0", 1)[0].translate(_LINE_BREAKS)
            line = b"%x %x %s\n" % (address, code_size, names[index])
        elif kind == _CODE_MOVE and body >= _MOVE.size:
            content = file.read(offset + _RECORD.size, _MOVE.size)
            _, _, _, _, address, code_size, index = _MOVE.unpack(content)
            if index in names:
                line = b"%x %x %s\n" % (address, code_size, names[index])
        if line:
            written += len(line)
            yield line
        offset += length
