"""Messages of the collector, decoded."""

import io
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from stallscope import collector, collector_lines, process_end
from stallscope.collector import (
    CollectionEnd,
    CollectorOptions,
    CollectorProgress,
    Failure,
    Finished,
    Started,
)
from stallscope.errors import ExitCode, StallscopeError, UnableError

LINES = b"""\
{"event": "hello", "version": "%s", "protocol": 1}
{"event": "ready"}
{"event": "started", "mode": "m", "pids": [3], "stacks": {"chosen": "fp", "text": "why"}, \
"warnings": [{"code": "c", "message": "early"}]}
{"event": "progress", "samples": 2, "lost": 1, "bytes": 9, "seconds": 1}
{"event": "finished", "windows": 4, "bytes": 9, "seconds": 1.5, "exit_code": 0, "reason": "done"}
{"event": "finis"""


def test_messages_are_decoded_and_an_unfinished_line_is_ignored() -> None:
    seen: list[CollectorProgress] = []
    lines = io.BytesIO(LINES % collector.__version__.encode())
    last = collector.read_messages(lines, seen.append)
    assert [progress.kind for progress in seen] == ["started", "progress", "finished"]
    started, progress, finished = seen
    assert isinstance(started, Started)
    assert (started.pids, started.stacks.text, started.warning_texts) == ((3,), "why", ("early",))
    assert (progress.samples, progress.lost, progress.size_bytes) == (2, 1, 9)
    assert finished is last
    assert isinstance(last, Finished)
    assert (last.windows, last.reason) == (4, "done")


def test_a_collector_of_another_version_is_refused() -> None:
    with pytest.raises(UnableError, match=r"version 0\.0, protocol 7"):
        collector.read_messages(
            io.BytesIO(b'{"event": "hello", "version": "0.0", "protocol": 7}\n'), lambda _: None
        )


def test_an_error_of_the_collector_keeps_its_exit_code() -> None:
    failure = Failure(message="no such process", remedy="name another", exit_code=4)
    with pytest.raises(StallscopeError, match="no such process") as caught:
        collector.collection_end(failure, 1, interrupted=False)
    assert caught.value.exit_code == ExitCode.TARGET_FAILED
    assert caught.value.remedy == "name another"


def test_no_line_is_read_after_an_error() -> None:
    lines = io.BytesIO(b'{"event": "error", "message": "m"}\n{"event": "ready"}\n')
    assert isinstance(collector.read_messages(lines, lambda _: None), Failure)
    assert lines.read() == b'{"event": "ready"}\n'


UNRESPONSIVE = """
trap '' TERM INT
echo '{"event": "started"}' >&$progress
while :; do :; done
"""
OBEDIENT = """
trap '' INT
echo '{"event": "started"}' >&$progress
read -r <&$control
echo '{"event": "finished", "reason": "control closed"}' >&$progress
"""
ARGUMENTS = """#!/bin/bash
for word; do
  case $word in --progress-fd=*) progress=${word#*=} ;; --control-fd=*) control=${word#*=} ;; esac
done
echo $$ >"$0.pid"
"""


@pytest.fixture
def install_collector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Callable[[], int]]:
    """Replaces the collector with a script; returns a function to its process id."""

    def install(text: str) -> Callable[[], int]:
        script = tmp_path / "collect"
        script.write_text(ARGUMENTS + text)
        script.chmod(0o755)
        monkeypatch.setattr(collector, "program", lambda _: script)
        monkeypatch.setattr(process_end, "TERM_LIMIT_S", 0.05)
        return lambda: int(Path(f"{script}.pid").read_text())

    return install


def exists(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def interrupt(progress: CollectorProgress) -> None:
    """Send Ctrl-C to this process alone when the measurement has started."""
    if isinstance(progress, Started):
        signal.raise_signal(signal.SIGINT)


def test_an_unresponsive_collector_is_killed_if_the_caller_fails(
    tmp_path: Path, install_collector: Callable[[str], Callable[[], int]]
) -> None:
    pid = install_collector(UNRESPONSIVE)

    def fail(progress: CollectorProgress) -> None:
        raise RuntimeError(progress.kind)

    with pytest.raises(RuntimeError, match="started"):
        collector.collect(CollectorOptions(tmp_path / "run", pids=(1,)), fail)
    assert not exists(pid())


def test_an_interrupt_of_this_process_alone_stops_the_collector(
    tmp_path: Path, install_collector: Callable[[str], Callable[[], int]]
) -> None:
    pid = install_collector(OBEDIENT)
    end = collector.collect(CollectorOptions(tmp_path / "run", pids=(1,)), interrupt)
    assert end == CollectionEnd(0, "control closed", interrupted=True)
    assert not exists(pid())


def test_a_collector_that_ignores_an_interrupt_is_killed(
    tmp_path: Path,
    install_collector: Callable[[str], Callable[[], int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pid = install_collector(UNRESPONSIVE)
    monkeypatch.setattr(collector_lines, "STOP_LIMIT_S", 0.3)
    with pytest.raises(UnableError, match="did not end within 0 s after Ctrl-C"):
        collector.collect(CollectorOptions(tmp_path / "run", pids=(1,)), interrupt)
    assert not exists(pid())
