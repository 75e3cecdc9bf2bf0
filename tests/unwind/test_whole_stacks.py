"""Recordings of programs without frame pointers: share of chains that reach the entry code."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from benchmarks.record_targets import redis_under_load
from stallscope._native import Capture, read_capture
from tests.unwind.targets import SOURCE, need
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.unwinding.tables import UnwindTables

pytestmark = pytest.mark.live
Document = dict[str, Any]
Profile = Callable[..., Document]
STALLSCOPE = str(Path(sys.executable).with_name("stallscope"))
LEAST_WHOLE = 0.90
START_BYTES = 64  # _start calls __libc_start_main in these bytes


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    """A function from arguments of `stallscope profile` to its document; the recording is `run`."""

    def run(*words: str) -> Document:
        done = subprocess.run(
            [STALLSCOPE, "profile", "--json", "-F", "999", "-o", str(tmp_path / "run"), *words],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        document: Document = json.loads(done.stdout)
        assert document["samples"] > 200
        return document

    return run


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[int]:
    """A redis-server process under load."""
    need("redis-server")
    with redis_under_load(tmp_path) as server:
        yield server.pid


@pytest.fixture
def compilation(tmp_path: Path) -> tuple[str, ...]:
    """A command that parses a real C++ file."""
    source = tmp_path / "source.cpp"
    source.write_text(SOURCE)
    return (need("g++"), "-O2", "-fsyntax-only", str(source))


def start_of(path: bytes) -> range:
    """Return the range of offsets of a file's entry code."""
    if not path.startswith(b"/"):
        return range(0)
    with Path(os.fsdecode(path)).open("rb") as file:
        elf = ELFFile(file)
        start = elf.header.e_entry
        for segment in elf.iter_segments("PT_LOAD"):
            address = segment.header.p_vaddr
            if address <= start < address + segment.header.p_filesz:
                offset = start - address + segment.header.p_offset
                return range(offset, offset + START_BYTES)
    return range(0)


def share_from_start(recording: Path) -> float:
    """Return the share of samples whose outermost frame is in the program's or the loader's _start.

    Of those with user frames; who else may be right, as a thread from its entry, is not counted.
    """
    sources = SymbolSources(
        recording=recording, boot_id=None, recorded_ns=None, cache_directory=None
    )
    capture = read_capture(recording / "samples.perf", unwind_tables=UnwindTables(sources))
    starts = [start_of(mapped.path) for mapped in capture.objects]
    of_user, whole = np.zeros((2, len(capture.stack_end)), dtype=bool)
    for stack in range(len(capture.stack_end)):
        last = outermost(capture, stack)
        if last is not None:
            of_user[stack] = True
            owner = int(capture.frame_object[last])
            whole[stack] = owner >= 0 and int(capture.frame_address[last]) in starts[owner]
    return float(whole[capture.stack].sum() / of_user[capture.stack].sum())


def outermost(capture: Capture, stack: int) -> int | None:
    """Return the outermost user frame of a stack, None without user code."""
    begin, end = capture.stack_offset[stack : stack + 2]
    if begin == end:
        return None
    last = int(capture.stack_frame[end - 1])
    return last if capture.frame_kind[last] == 0 else None


@pytest.mark.parametrize("stacks", ["dwarf", "auto"])
def test_a_server_without_frame_pointers(
    profile: Profile, redis: int, stacks: str, tmp_path: Path
) -> None:
    document = profile("-p", str(redis), "--duration", "1", "--stacks", stacks)
    assert document["truncated_share"] <= 1 - LEAST_WHOLE
    assert share_from_start(tmp_path / "run") >= LEAST_WHOLE


@pytest.mark.parametrize("stacks", ["dwarf", "auto"])
def test_a_compiler(
    profile: Profile, compilation: tuple[str, ...], stacks: str, tmp_path: Path
) -> None:
    document = profile("--stacks", stacks, "--", *compilation)
    assert document["truncated_share"] <= 1 - LEAST_WHOLE
    assert share_from_start(tmp_path / "run") >= LEAST_WHOLE
