"""Costs of commands: their own memory and CPU time, not those of the process that starts them."""

import signal
import sys
from pathlib import Path

import pytest

from benchmarks.processes import checked, run

MIB = 2**20


def test_the_memory_of_the_parent_is_not_counted() -> None:
    memory = b"x" * (128 * MIB)
    cost = checked(["true"])
    assert 0 < cost.peak_mib < 24
    assert len(memory) == 128 * MIB


def test_memory_and_cpu_time_of_a_command_and_its_children_are_counted() -> None:
    work = "x = b'x' * (64 << 20)\nfor _ in range(8): bytes(x).translate(bytes(range(256)))"
    cost = checked(["sh", "-c", '"$@"; true', "sh", sys.executable, "-I", "-S", "-c", work])
    assert 64 < cost.peak_mib < 256
    assert cost.cpu_s > 0
    assert cost.wall_s > 0


def test_the_status_of_a_command_is_returned() -> None:
    assert run(["sh", "-c", "exit 7"]).status == 7
    assert run(["sh", "-c", "kill -KILL $$"]).status == -signal.SIGKILL
    with pytest.raises(RuntimeError, match="status 7"):
        checked(["sh", "-c", "exit 7"])


def test_a_command_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(FileNotFoundError, match="no-such-command"):
        run(["no-such-command"])


def test_a_command_starts_as_from_a_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the environment, the directory, default signals and no further open file."""
    monkeypatch.setenv("BENCHMARK_WORD", "here")
    script = "echo $BENCHMARK_WORD >word; grep SigIgn /proc/self/status >ignored; ls /proc/self/fd >files"
    directory = tmp_path / "directory"
    directory.mkdir()
    assert run(["sh", "-c", script], cwd=directory).status == 0
    assert (directory / "word").read_text(encoding="utf-8") == "here\n"
    ignored = int((directory / "ignored").read_text(encoding="utf-8").split()[1], 16)
    assert not ignored & 1 << signal.SIGPIPE - 1
    # ls has a file for the folder that it lists.
    assert (directory / "files").read_text(encoding="utf-8").split() == ["0", "1", "2", "3"]
