"""The command by itself: output once, input every time, its end and its time."""

import os
import select
import sys
from pathlib import Path

import pytest

from stallscope.errors import TargetError
from topdown.slots.modelled import native_run
from topdown.slots.modelled.native_run import (
    CommandInput,
    TooLongError,
    run_once,
    standard_input,
)

NOTHING = CommandInput(None)


def test_output_passes_unless_the_run_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    run_once(["echo", "once"], NOTHING, silent=False)
    run_once(["echo", "twice"], NOTHING, silent=True)
    assert capfd.readouterr().out == "once\n"


def test_a_run_says_how_it_ended() -> None:
    assert run_once(["sh", "-c", "exit 7"], NOTHING, silent=True).status == 7
    assert run_once(["sh", "-c", "kill -9 $$"], NOTHING, silent=True).status == -9


def test_cpu_time_is_the_commands() -> None:
    work = "sum(i * i for i in range(400000))"
    run = run_once([sys.executable, "-S", "-c", work], NOTHING, silent=True)
    assert 0 < run.cpu_s <= run.wall_s * 1.5 + 0.1
    assert run.queued_s >= 0


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="cannot start"):
        run_once([str(tmp_path / "no\x1bthing")], NOTHING, silent=True)


def test_a_run_that_takes_too_long_ends_with_all_its_children(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    script = f"sleep 60 & echo $! >{marker}; sleep 60"
    with pytest.raises(TooLongError, match="ended after"):
        run_once(["sh", "-c", script], NOTHING, silent=True, timeout_s=0.5)
    if marker.exists() and (text := marker.read_text().strip()):
        assert ends(int(text))


def ends(pid: int) -> bool:
    """Whether a process is gone, now or soon: a signal takes effect when it runs next."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        return bool(waiting.poll(10_000))
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_every_run_reads_the_same_input(
    kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if kind == "pipe":
        end, other = os.pipe()
        os.write(other, b"given\n")
        os.close(other)
    else:
        path = tmp_path / "input"
        path.write_text("given\n")
        end = os.open(path, os.O_RDONLY)
    try:
        with standard_input(end) as changes:
            for _ in range(3):
                run_once(["cat"], changes, silent=False)
    finally:
        os.close(end)
    assert capfd.readouterr().out == "given\n" * 3


def test_an_input_without_an_end_gives_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_run, "INPUT_WAIT_S", 0.01)
    end, other = os.pipe()
    expected_text = []

    def end_it(text: str) -> None:
        expected_text.append(text)
        os.close(other)

    try:
        with standard_input(end, on_wait=end_it) as changes:
            assert run_once(["true"], changes, silent=True).status == 0
    finally:
        os.close(end)
    assert expected_text == [native_run.WAITS_FOR_INPUT]


def test_a_closed_input_gives_no_input(capfd: pytest.CaptureFixture[str]) -> None:
    end, other = os.pipe()
    os.close(end)
    os.close(other)
    with standard_input(end) as changes:
        run_once(["cat"], changes, silent=False)
    assert capfd.readouterr().out == ""
