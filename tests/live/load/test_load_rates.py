"""Latency that falls as the rate rises: a known program with batches, and a look-alike."""

import json
import selectors
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.live
STALLSCOPE = Path(sys.executable).with_name("stallscope")
_BATCH = 8
_WAIT_S = 0.02
_DELAY_S = 0.004
_RATES = "200,2000"  # a thread of Python answers both easily
_RUNS = 3


class ReplyServer(threading.Thread):
    """A server that collects requests into batches, or delays each reply by a constant time.

    With batches, the replies are sent when 8 requests have arrived or the first one has waited 20
    ms: at a low rate a request waits for the time, at a high rate for its batch.
    """

    def __init__(self, *, batches: bool) -> None:
        super().__init__(daemon=True)
        self.batches = batches
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.ends = False

    def run(self) -> None:
        """Serve until ``ends``; a PING is answered at once."""
        poll = selectors.DefaultSelector()
        poll.register(self.listener, selectors.EVENT_READ)
        waiting: list[tuple[float, socket.socket]] = []
        while not self.ends:
            for key, _ in poll.select(self._timeout(waiting)):
                if key.fileobj is self.listener:
                    poll.register(self.listener.accept()[0], selectors.EVENT_READ)
                    continue
                peer = key.fileobj
                assert isinstance(peer, socket.socket)
                data = peer.recv(65536)
                if not data:
                    poll.unregister(peer)
                    peer.close()
                elif b"PING" in data:
                    peer.sendall(b"+PONG\r\n")
                else:
                    waiting += [(time.monotonic(), peer)] * data.count(b"*2\r\n")
            waiting = self._answered(waiting)
        for key in list(poll.get_map().values()):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.close()
        poll.close()

    def _timeout(self, waiting: list[tuple[float, socket.socket]]) -> float:
        if not waiting:
            return 0.02
        limit_s = _WAIT_S if self.batches else _DELAY_S
        return max(0.0, waiting[0][0] + limit_s - time.monotonic())

    def _answered(
        self, waiting: list[tuple[float, socket.socket]]
    ) -> list[tuple[float, socket.socket]]:
        """Return the requests that wait on, after the others are answered."""
        now = time.monotonic()
        if self.batches:
            due = len(waiting) >= _BATCH or (waiting and now - waiting[0][0] >= _WAIT_S)
            count = len(waiting) if due else 0
        else:
            count = sum(now - since >= _DELAY_S for since, _ in waiting)
        for _, peer in waiting[:count]:
            peer.sendall(b"+OK\r\n")
        return waiting[count:]


@contextmanager
def running(*, batches: bool) -> Iterator[int]:
    server = ReplyServer(batches=batches)
    server.start()
    try:
        yield server.port
    finally:
        server.ends = True
        server.join(timeout=20)


def document_of(folder: Path, *, batches: bool) -> dict[str, Any]:
    folder.mkdir(exist_ok=True)
    with running(batches=batches) as port:
        run = subprocess.run(
            [STALLSCOPE, "load", f"127.0.0.1:{port}", "--rates", _RATES, "--duration", "0.2",
             "--warmup", "0", "--connections", "16", "--read-share", "1",
             "-o", folder / "rates", "--json"],
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
    assert run.returncode == 0, run.stderr
    document: dict[str, Any] = json.loads(run.stdout)
    return document


def test_batches_are_the_cause(tmp_path: Path) -> None:
    """The server's thread may wait for a CPU for longer than a batch does: such a run is repeated."""
    for run in range(_RUNS):
        document = document_of(tmp_path / str(run), batches=True)
        if document["cause"] == "batches":
            break
    assert document["cause"] == "batches", document["reason"]
    assert document["rows"][0]["replies_per_burst"] > 2


def test_a_constant_delay_is_not_blamed_on_batches(tmp_path: Path) -> None:
    """A busy machine may disturb both rates differently."""
    document = document_of(tmp_path, batches=False)
    assert document["cause"] != "batches", document["reason"]
