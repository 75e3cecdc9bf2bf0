"""The two data sets, a client of the RESP protocol, and the names of objects; deterministic."""

import os
import random
import socket
from collections.abc import Iterable, Iterator
from itertools import islice

OBJECTS = int(os.environ.get("NEOTEST_OBJECTS", "1000"))  # per data set
DATA_SETS = ("wczblk1-8", "prod1-1024")
_BLOCK_BYTES = 512
_PIPELINED = 100  # requests in flight; their replies fit into the buffers of a socket


def key(data_set: str, number: int) -> bytes:
    """Return the key of an object."""
    return f"{data_set}:{number}".encode()


def content(data_set: str, number: int) -> bytes:
    """Return an object.

    wczblk1-8: one random block of 512 bytes, repeated 1 to 8 times. prod1-1024: 1 to 1024 random
    bytes, all sizes equally likely.
    """
    generator = random.Random(f"{data_set}:{number}")
    if data_set == "wczblk1-8":
        return generator.randbytes(_BLOCK_BYTES) * (1 + number % 8)
    return generator.randbytes(generator.randint(1, 1024))


class Connection:
    """A connection to a server on the loopback interface; one request at a time."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._replies = self._socket.makefile("rb")

    def get(self, name: bytes) -> bytes:
        """Return the value of a key; LookupError if there is none."""
        self._socket.sendall(b"*2\r\n$3\r\nGET\r\n$%d\r\n%b\r\n" % (len(name), name))
        head = self._replies.readline()
        if head[:1] != b"$" or head[1:2] == b"-":
            raise LookupError(f"{name.decode()}: the server replied {head!r}")
        size = int(head[1:])
        return self._replies.read(size + 2)[:size]

    def set_all(self, objects: Iterable[tuple[bytes, bytes]]) -> None:
        """Store objects by name. A server on a disk syncs the pipelined requests together."""
        for some in batched(objects, _PIPELINED):
            for name, value in some:
                self._socket.sendall(
                    b"*3\r\n$3\r\nSET\r\n$%d\r\n%b\r\n$%d\r\n%b\r\n"
                    % (len(name), name, len(value), value)
                )
            for name, _ in some:
                reply = self._replies.readline()
                if reply[:1] != b"+":
                    raise OSError(f"{name.decode()}: the server replied {reply!r}")


def batched(
    objects: Iterable[tuple[bytes, bytes]], size: int
) -> Iterator[list[tuple[bytes, bytes]]]:
    """Split a sequence into lists of at most `size` (itertools has it from Python 3.12)."""
    rest = iter(objects)
    while some := list(islice(rest, size)):
        yield some
