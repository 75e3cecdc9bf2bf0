"""Unwinding while reading: a Python callback supplies the unwind tables."""

import os
import struct
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from stallscope._native import (
    CaptureError,
    Object,
    UnwindTable,
    UnwindTableError,
    read_capture,
)
from tests.captures.pipes import pipe_content

DWARF = Path(__file__).parent.parent / "captures/dwarf.perf"


def no_table(_: Object) -> UnwindTable | None:
    return None


def test_without_a_callback_stacks_are_not_unwound() -> None:
    capture = read_capture(DWARF)
    assert len(capture.stack_end) == len(capture.stack_offset) - 1
    assert not capture.stack_end.any()


def test_the_callback_gets_every_object_once_with_its_identity() -> None:
    objects: list[Object] = []
    capture = read_capture(DWARF, unwind_tables=objects.append)
    paths = [mapped.path for mapped in objects]
    assert paths
    assert len(set(paths)) == len(paths)
    # The file lists them by name in a section after its records.
    assert [len(mapped.build_id) for mapped in objects if mapped.path.endswith(b"/busy")] == [20]
    assert np.all(capture.stack_end <= 8)
    assert capture.stack_end.any()


def test_an_exception_in_the_callback_ends_reading() -> None:
    def refuse(mapped: Object) -> UnwindTable | None:
        raise LookupError(mapped.path)

    with pytest.raises(LookupError, match="b'/"):
        read_capture(DWARF, unwind_tables=refuse)


def test_a_callback_that_returns_another_type_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="UnwindTable or None"):
        read_capture(DWARF, unwind_tables=lambda mapped: mapped)  # type: ignore[arg-type,return-value]


def test_tables_of_a_running_program(tmp_path: Path) -> None:
    with Path("/proc/self/exe").open("rb") as file:
        table = UnwindTable.compile(file.fileno())
    assert table.rows > 0
    assert table.bad_entries == 0
    assert 0 <= table.frame_pointer_share <= 1
    again = UnwindTable.from_bytes(table.to_bytes())
    assert again.rows == table.rows
    assert again.to_bytes() == table.to_bytes()
    read_capture(DWARF, unwind_tables=lambda _: again)


def test_files_without_unwind_information_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(UnwindTableError):
        UnwindTable.from_image(b"\x7fELF but not really")
    with pytest.raises(UnwindTableError):
        UnwindTable.from_bytes(b"")
    assert issubclass(UnwindTableError, ValueError)
    (tmp_path / "text").write_text("hello")
    with (tmp_path / "text").open("rb") as file, pytest.raises(UnwindTableError):
        UnwindTable.compile(file.fileno())
    with pytest.raises(OSError, match="descriptor"):
        UnwindTable.compile(10_000)


def pipe_of(content: bytes, place: Path) -> threading.Thread:
    os.mkfifo(place)
    writer = threading.Thread(target=place.write_bytes, args=(content,))
    writer.start()
    return writer


def test_the_stacks_of_a_pipe_are_stored_in_tmpdir(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = read_capture(DWARF, unwind_tables=no_table).stack_end
    content = pipe_content(DWARF.read_bytes())
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    writer = pipe_of(content, tmp_path / "fifo")
    piped = read_capture(tmp_path / "fifo", unwind_tables=no_table)
    writer.join()
    assert piped.stack_end.tolist() == ends.tolist()
    assert [place.name for place in tmp_path.iterdir()] == ["fifo"]

    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    (tmp_path / "copy").write_bytes(content)
    assert read_capture(tmp_path / "copy", unwind_tables=no_table).stack_end.any()
    reader, end = os.pipe()
    os.write(end, content)
    os.close(end)
    with pytest.raises(FileNotFoundError) as caught:
        read_capture(f"/proc/self/fd/{reader}", unwind_tables=no_table)
    os.close(reader)
    assert caught.value.filename == str(tmp_path / "none")


def test_a_truncated_capture_is_unwound_up_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "x.perf"
    path.write_bytes(pipe_content(DWARF.read_bytes())[:-100])
    with pytest.raises(CaptureError, match="truncated"):
        read_capture(path, unwind_tables=no_table)
    capture = read_capture(path, allow_truncated=True, unwind_tables=no_table)
    assert capture.stack_end.any()


MEASURE = """
import resource, sys
from stallscope._native import read_capture
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
before = peak()
capture = read_capture(sys.argv[1], unwind_tables=lambda _: None)
print(len(capture.time_ns), int((capture.stack_end != 0).sum()), peak() - before)
"""
SAMPLES, STACK_BYTES = 8_000, 16_384


def many_stacks(into: Path) -> None:
    """A pipe's records: samples (IP, TID, TIME, three registers, a stack) of a single process."""
    registers, address, code = 0x1C0, 0x7FFD0000, 0x400000  # rbp, rsp, rip
    sample_type = 1 | 2 | 4 | 1 << 12 | 1 << 13
    attribute = struct.pack("<IIQQQQQ", 1, 136, 0, 999, sample_type, 0, 1 << 10 | 1 << 18)
    attribute = (attribute.ljust(80, b"\0") + struct.pack("<Q", registers)).ljust(136, b"\0")
    # Two frames by frame pointers, the rest of the stack is skipped.
    frames = struct.pack("<QQQQ", address + 16, code + 32, 0, code + 64)
    stack = frames + b"s" * (STACK_BYTES - len(frames))
    with into.open("wb") as out:
        out.write(b"PERFILE2" + struct.pack("<Q", 16))
        out.write(struct.pack("<IHH", 64, 0, 8 + len(attribute)) + attribute)
        mapping = struct.pack("<IIQQQ", 1, 1, code, 4096, 0) + b"/bin/x\0\0"
        out.write(struct.pack("<IHH", 1, 2, 64) + mapping + struct.pack("<IIQ", 1, 1, 1))
        for time in range(2, 2 + SAMPLES):
            body = struct.pack("<QIIQ", code + time % 16, 1, 1, time)
            body += struct.pack("<QQQQQ", 2, address, address, code + time % 16, STACK_BYTES)
            body += stack + struct.pack("<Q", STACK_BYTES)
            out.write(struct.pack("<IHH", 9, 2, 8 + len(body)) + body)


@pytest.mark.parametrize("piped", [False, True])
def test_stacks_are_not_kept_in_memory(tmp_path: Path, piped: bool) -> None:
    path = tmp_path / "many.perf"
    many_stacks(path)
    command = [sys.executable, "-c", MEASURE, "/dev/stdin" if piped else str(path)]
    with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
        done = subprocess.run(command, stdin=cat.stdout, capture_output=True, text=True, check=True)
    samples, unwound, grown_mib = (int(word) for word in done.stdout.split())
    assert samples == SAMPLES
    assert unwound == 16
    assert grown_mib < SAMPLES * STACK_BYTES >> 22
