"""A RESP server of the test's own: it answers, stalls or misbehaves as the test says."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


class GoneError(Exception):
    """Raised by an answer that closes the connection."""


@dataclass
class Peer:
    """One connection as the server sees it."""

    number: int
    socket: socket.socket
    requests: int = 0


Answer = Callable[[Peer, list[bytes]], bytes]


def usual(peer: Peer, words: list[bytes]) -> bytes:
    """What a server says to PING, ECHO, GET and SET."""
    del peer
    name = words[0].upper()
    if name == b"PING":
        return b"+PONG\r\n"
    if name in (b"ECHO", b"GET"):
        return b"$%d\r\n%s\r\n" % (len(words[1]), words[1])
    return b"+OK\r\n"


def after_ping(answer: Answer) -> Answer:
    """The answer for all but the greeting."""
    return lambda peer, words: usual(peer, words) if words[0] == b"PING" else answer(peer, words)


def _requests(stream: "socket.SocketIO | object") -> Iterator[list[bytes]]:
    while line := stream.readline():  # type: ignore[attr-defined]
        words = []
        for _ in range(int(line[1:])):
            size = int(stream.readline()[1:])  # type: ignore[attr-defined]
            words.append(stream.read(size + 2)[:-2])  # type: ignore[attr-defined]
        yield words


@dataclass
class RespServer:
    """A server on a port of its own; a thread for each connection."""

    answer: Answer
    listener: socket.socket = field(
        default_factory=lambda: socket.create_server(("127.0.0.1", 0), backlog=512)
    )
    peers: list[Peer] = field(default_factory=list)

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self.listener.getsockname()[1]}"

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                accepted, _ = self.listener.accept()
                peer = Peer(len(self.peers), accepted)
                self.peers.append(peer)
                threading.Thread(target=self._talk, args=(peer,), daemon=True).start()

    def _talk(self, peer: Peer) -> None:
        with (
            suppress(OSError, ValueError, GoneError),
            peer.socket,
            peer.socket.makefile("rb") as stream,
        ):
            peer.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for words in _requests(stream):
                peer.requests += words[0] != b"PING"
                peer.socket.sendall(self.answer(peer, words))
        with suppress(OSError):
            peer.socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@contextmanager
def serving(answer: Answer) -> Iterator[RespServer]:
    """A server at work until the end of the block."""
    server = RespServer(answer)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()
