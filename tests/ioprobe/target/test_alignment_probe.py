"""The program that finds the alignment of direct reads, run by its path."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ioprobe.target import alignment_probe

PROGRAM = alignment_probe.__file__


def sizes(descriptor: int) -> list[int]:
    ended = subprocess.run(
        [sys.executable, "-I", PROGRAM],
        stdin=descriptor,
        capture_output=True,
        timeout=60,
        check=True,
    )
    return [int(line) for line in ended.stdout.split()]


def test_a_cached_file_takes_the_smallest_size(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 8192)
    with path.open("rb") as file:
        assert sizes(file.fileno()) == [512]


def test_a_read_that_fails_for_another_reason_gives_the_largest_size() -> None:
    """A pipe has no positions: preadv fails with ESPIPE."""
    reader, writer = os.pipe()
    try:
        assert sizes(reader) == [512, 4096]
    finally:
        os.close(reader)
        os.close(writer)


def test_sizes_that_are_refused_are_followed_by_larger_ones(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def preadv(descriptor: int, buffers: list[memoryview], offset: int) -> int:
        if len(buffers[0]) < 2048:
            raise OSError(22, "Invalid argument")
        return len(buffers[0])

    monkeypatch.setattr(os, "preadv", preadv)
    monkeypatch.setattr(sys, "stdin", open(0, closefd=False))  # noqa: SIM115
    monkeypatch.setattr(sys, "stdout", open(1, "w", closefd=False))  # noqa: SIM115
    alignment_probe.main()
    assert capfd.readouterr().out.split() == ["512", "1024", "2048"]
