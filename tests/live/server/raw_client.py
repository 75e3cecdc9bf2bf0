"""A client that shows replies of the Redis protocol byte for byte."""

import contextlib
import socket
import struct
from pathlib import Path
from types import TracebackType
from typing import Self

PATIENCE_S = 30.0


def request(*words: bytes | str | int) -> bytes:
    """A request in the encoding of client libraries."""
    as_bytes = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    parts = [b"$%d\r\n%b\r\n" % (len(word), word) for word in as_bytes]
    return b"*%d\r\n%b" % (len(parts), b"".join(parts))


class RawClient:
    """A connection. Every wait has a timeout: a server that does not reply fails the test."""

    def __init__(self, address: int | Path) -> None:
        """Connect to a port of this host, or to a unix socket."""
        on_host = not isinstance(address, Path)
        self.socket = socket.socket(socket.AF_INET if on_host else socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
        try:
            self.socket.connect(("127.0.0.1", address) if on_host else str(address))
            if on_host:
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except BaseException:
            self.socket.close()
            raise
        self._held = bytearray()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def disk_info(self) -> dict[str, str]:
        """Return the fields of INFO disk."""
        lines = self.ask("INFO", "disk").decode().split("\r\n")
        return dict(line.split(":", 1) for line in lines if line.startswith("disk_"))

    def try_send(self, data: bytes) -> None:
        """Send to a server that may have closed already."""
        with contextlib.suppress(OSError):
            self.socket.sendall(data)

    def end_sending(self) -> None:
        """Shut down the sending side, and keep receiving."""
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """Close the connection with a TCP reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def ask(self, *words: bytes | str | int) -> bytes:
        """The bytes of the reply."""
        self.send(request(*words))
        return self.reply()

    def reply(self) -> bytes:
        """The next complete reply; ConnectionError if the server closes before."""
        line = self._line()
        kind, rest = line[:1], line[1:-2]
        if kind in b"+-:_,#(":
            return line
        number = int(rest)
        if kind in b"$=":
            return line if number < 0 else line + self._exactly(number + 2)
        assert kind in b"*%~>", line
        return line + b"".join(self.reply() for _ in range(number * (2 if kind == b"%" else 1)))

    def rest(self) -> bytes:
        """All bytes until the server closes."""
        try:
            while self._receive():
                pass
        except ConnectionResetError:
            pass
        return bytes(self._held)

    def _receive(self) -> bool:
        data = self.socket.recv(1 << 16)
        self._held += data
        return bool(data)

    def _line(self) -> bytes:
        while (end := self._held.find(b"\r\n")) < 0:
            self._more()
        return self._take(end + 2)

    def _exactly(self, count: int) -> bytes:
        while len(self._held) < count:
            self._more()
        return self._take(count)

    def _more(self) -> None:
        if not self._receive():
            raise ConnectionError(f"closed by the server; before: {bytes(self._held[:200])!r}")

    def _take(self, count: int) -> bytes:
        taken = bytes(self._held[:count])
        del self._held[:count]
        return taken
