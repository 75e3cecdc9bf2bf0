"""Dumps of JIT compilers: as Julia and Wasmtime write them, damaged and hostile."""

import os
import struct
from pathlib import Path

import numpy as np
import pytest

from stallscope.regular_file import RefusedFileError, open_regular
from tests.topdown.stacks.symbols.conftest import BOOT
from topdown.stacks.symbols.jit_dumps import dump_lines, open_jit_dump
from topdown.stacks.symbols.jit_maps import read_jit_map
from topdown.stacks.symbols.process_artifacts import copy_artifacts, copy_leftover_jit_maps
from topdown.stacks.symbols.sources import SymbolSources

RECORDED = Path(__file__).parent / "jit"
EM_X86_64 = 62


def header(magic: int = 0x4A695444, version: int = 1) -> bytes:
    return struct.pack("<IIIIIIQQ", magic, version, 40, EM_X86_64, 0, 5, 1_000, 0)


def record(kind: int, body: bytes) -> bytes:
    return struct.pack("<IIQ", kind, 16 + len(body), 2_000) + body


def load(address: int, size: int, index: int, name: bytes) -> bytes:
    head = struct.pack("<IIQQQQ", 5, 5, address, address, size, index)
    return record(0, head + name + b"\0" + b"\xcc" * size)


def moved(index: int, before: int, after: int, size: int) -> bytes:
    return record(1, struct.pack("<IIQQQQQ", 5, 5, after, before, after, size, index))


def debug_information(address: int, file: bytes) -> bytes:
    return record(2, struct.pack("<QQQII", address, 1, address, 12, 0) + file + b"\0")


def unwinding_information() -> bytes:
    return record(4, struct.pack("<QQQ", 24, 20, 24) + bytes(24))


# LLVM's listener, which Julia uses, writes lines before the code; Wasmtime's names are modules and
# function numbers.
JULIA = (
    header()
    + debug_information(0x7000, b"/home/user/model.jl")
    + load(0x7000, 64, 1, b"julia_gradient_123")
    + load(0x7100, 32, 2, "jfptr_größe_45".encode())
    + record(3, b"")
)
WASMTIME = header() + load(0x9000, 16, 1, b"wasm[0]::function[7]::fib") + unwinding_information()


def lines_of(folder: Path, content: bytes) -> list[bytes]:
    (folder / "jit-5.dump").write_bytes(content)
    with open_regular(folder / "jit-5.dump") as file:
        return b"".join(dump_lines(file)).splitlines()


def name_at(proc: Path, address: int) -> bytes | None:
    sources = SymbolSources(boot_id=BOOT, proc=proc)
    symbols, _ = read_jit_map(4711, np.array([address], np.uint64), sources)
    if symbols is None or symbols.group[0] < 0:
        return None
    return symbols.table.names(symbols.group)[0]


def test_functions_of_julia_are_named(tmp_path: Path) -> None:
    assert lines_of(tmp_path, JULIA) == [
        b"7000 40 julia_gradient_123",
        "7100 20 jfptr_größe_45".encode(),
    ]


def test_functions_of_wasmtime_are_named(tmp_path: Path) -> None:
    assert lines_of(tmp_path, WASMTIME) == [b"9000 10 wasm[0]::function[7]::fib"]


def test_functions_of_dotnet_are_named(proc: Path) -> None:
    (proc / "4711/root/tmp/perf-5.map").write_bytes((RECORDED / "dotnet.map").read_bytes())
    name = name_at(proc, 0x7F3A5C0B2010)
    assert name is not None
    assert name.endswith(b"List`1<int32>)[Tier0]")


def test_code_that_moved_has_its_name_at_both_addresses(tmp_path: Path) -> None:
    content = header() + load(0x1000, 16, 9, b"f") + moved(9, 0x1000, 0x3000, 16)
    assert lines_of(tmp_path, content) == [b"1000 10 f", b"3000 10 f"]


@pytest.mark.parametrize("length", range(40, len(WASMTIME)))
def test_a_truncated_dump_ends_at_the_damage(length: int, tmp_path: Path) -> None:
    complete = [b"9000 10 wasm[0]::function[7]::fib"]
    assert lines_of(tmp_path, WASMTIME[:length]) in ([], complete)


def test_line_breaks_in_names_add_no_lines(tmp_path: Path) -> None:
    (line,) = lines_of(tmp_path, header() + load(0x1000, 8, 1, b"a\n2000 8 b"))
    assert line == b"1000 8 a 2000 8 b"


@pytest.mark.parametrize("start", [header(magic=0x4454694A), header(version=2), b"short"])
def test_another_format_is_refused(start: bytes, tmp_path: Path) -> None:
    with pytest.raises(RefusedFileError):
        lines_of(tmp_path, start + bytes(40) if len(start) > 5 else start)


def test_a_live_dump_in_tmp_names_functions(proc: Path) -> None:
    (proc / "4711/root/tmp/jit-5.dump").write_bytes(WASMTIME)
    assert name_at(proc, 0x9004) == b"wasm[0]::function[7]::fib"


def test_the_mapped_dump_is_read(proc: Path) -> None:
    (proc / "4711/root/home/user/.debug/jit").mkdir(parents=True)
    (proc / "4711/root/home/user/.debug/jit/jit-5.dump").write_bytes(JULIA)
    path = "/home/user/.debug/jit/jit-5.dump"
    (proc / "4711/maps").write_text(f"1000-2000 r-xp 00000000 08:01 9          {path}\n")
    assert name_at(proc, 0x7001) == b"julia_gradient_123"


def test_a_dump_behind_a_link_is_refused(proc: Path, tmp_path: Path) -> None:
    (tmp_path / "other.dump").write_bytes(JULIA)
    link = proc / "4711/root/tmp/jit-5.dump"
    link.symlink_to(tmp_path / "other.dump")
    os.chown(link, 12345, 12345, follow_symlinks=False) if os.getuid() == 0 else None
    with pytest.raises(RefusedFileError):
        open_jit_dump(4711, proc)


def test_a_recording_keeps_the_dump_as_a_map(proc: Path, tmp_path: Path) -> None:
    (proc / "4711/root/tmp/jit-5.dump").write_bytes(WASMTIME)
    (tmp_path / "run").mkdir()
    (proc / "self/ns").mkdir(parents=True)
    assert copy_artifacts([4711], tmp_path / "run", proc=proc) == ()
    text = (tmp_path / "run/jit/4711.map").read_bytes()
    assert text == b"9000 10 wasm[0]::function[7]::fib\n"


def test_a_dump_that_a_command_left_is_kept_unless_it_left_a_map(tmp_path: Path) -> None:
    (tmp_path / "root/tmp").mkdir(parents=True)
    (tmp_path / "run").mkdir()
    for pid in (5, 6):
        (tmp_path / f"root/tmp/jit-{pid}.dump").write_bytes(WASMTIME)
    (tmp_path / "root/tmp/perf-6.map").write_text("1000 10 map\n")
    assert copy_leftover_jit_maps(tmp_path / "run", 0.0, root=tmp_path / "root") == ()
    assert (tmp_path / "run/jit/5.map").read_bytes() == b"9000 10 wasm[0]::function[7]::fib\n"
    assert (tmp_path / "run/jit/6.map").read_text() == "1000 10 map\n"
