"""Messages of the collector, decoded."""

import io

import pytest

from stallscope import collector
from stallscope.collector import CollectorProgress, Failure, Finished, Started
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
    last = collector._read_messages(lines, seen.append)
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
        collector._read_messages(
            io.BytesIO(b'{"event": "hello", "version": "0.0", "protocol": 7}\n'), lambda _: None
        )


def test_an_error_of_the_collector_keeps_its_exit_code() -> None:
    failure = Failure(message="no such process", remedy="name another", exit_code=4)
    with pytest.raises(StallscopeError, match="no such process") as caught:
        collector._collection_end(failure, 1, interrupted=False)
    assert caught.value.exit_code == ExitCode.TARGET_FAILED
    assert caught.value.remedy == "name another"
