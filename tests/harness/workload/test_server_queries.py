"""Queries to a RESP server: INFO fields, stage counts, invalid replies."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from harness.workload.server_queries import (
    StageCounts,
    average_batch,
    commands_processed,
    info,
    stage_counts,
)
from stallscope.errors import TargetError


@contextmanager
def replying(reply: bytes) -> Iterator[str]:
    """A port that sends the same reply to every request."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def reply_once() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(reply)

        thread = threading.Thread(target=reply_once)
        thread.start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


def bulk(text: str) -> bytes:
    return f"${len(text)}\r\n{text}\r\n".encode()


def test_info_ignores_unknown_lines() -> None:
    text = "# Stats\r\ntotal_commands_processed:42\r\n\r\nodd\r\nstage_a:enqueued=9,executed=8,scheduled=3,batches=4,preempted=1,batch_p50=2,delay_p99_us=7\r\nstage_b:broken\r\n"
    with replying(bulk(text)) as target:
        assert commands_processed(target) == 42
    with replying(bulk(text)) as target:
        assert stage_counts(target) == {"a": StageCounts(9, 8, 4, 1)}


@pytest.mark.parametrize(
    "reply",
    [b"", b"-ERR no\r\n", b"$99999999999\r\n", b"$-1\r\n", b"HTTP/1.1 400\r\n", b"$5\r\nab"],
)
def test_a_reply_that_is_not_info_raises_a_single_error(reply: bytes) -> None:
    with replying(reply) as target, pytest.raises(TargetError):
        commands_processed(target)


def test_an_address_without_a_server_raises_a_single_error() -> None:
    for target in ("127.0.0.1:1", "unix:/nowhere", "nonsense", "h:port"):
        with pytest.raises(TargetError, match="does not reply to INFO"):
            info(target, "stats")


def test_the_average_batch_covers_the_increase() -> None:
    before = {"a": StageCounts(10, 10, 10, 0)}
    after = {"a": StageCounts(40, 40, 12, 0), "b": StageCounts(30, 30, 4, 0)}
    assert average_batch(before, after) == 10
    assert average_batch(after, after) is None
    assert average_batch({}, {}) is None
