"""A RESP server for tests: its replies are a function of the test."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


class GoneError(Exception):
    """Raised by a reply function to close the connection."""


@dataclass
class Peer:
    """A connection of the server."""

    number: int
    socket: socket.socket
    requests: int = 0


ReplyFunction = Callable[[Peer, list[bytes]], bytes]


def default_reply(peer: Peer, words: list[bytes]) -> bytes:
    """Replies to PING, ECHO, GET and SET."""
    del peer
    name = words[0].upper()
    if name == b"PING":
        return b"+PONG\r\n"
    if name in (b"ECHO", b"GET"):
        return b"$%d\r\n%s\r\n" % (len(words[1]), words[1])
    return b"+OK\r\n"


def after_ping(reply_function: ReplyFunction) -> ReplyFunction:
    """The reply function for all requests after the greeting."""
    return lambda peer, words: (
        default_reply(peer, words) if words[0] == b"PING" else reply_function(peer, words)
    )


def _requests(stream: "socket.SocketIO | object") -> Iterator[list[bytes]]:
    while line := stream.readline():  # type: ignore[attr-defined]
        words = []
        for _ in range(int(line[1:])):
            size = int(stream.readline()[1:])  # type: ignore[attr-defined]
            words.append(stream.read(size + 2)[:-2])  # type: ignore[attr-defined]
        yield words


@dataclass
class RespServer:
    """A server on a free port, with a thread per connection."""

    reply_function: ReplyFunction
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
                peer.socket.sendall(self.reply_function(peer, words))
        with suppress(OSError):
            peer.socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@contextmanager
def serving(reply_function: ReplyFunction) -> Iterator[RespServer]:
    """A running server until the end of the block."""
    server = RespServer(reply_function)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()
