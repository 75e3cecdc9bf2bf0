"""SQLite behind the RESP protocol, on the loopback interface: ``sqlite_server.py PORT``.

The database is a file in a temporary directory, which is removed at the end,
except after SIGKILL. Every connection has a
thread and a database handle. Supported: GET, SET and PING.
"""

import signal
import socketserver
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO

_LARGEST = 1 << 20  # bytes of an argument


class Server(socketserver.ThreadingTCPServer):
    """Accepts connections until SIGTERM."""

    allow_reuse_address = True
    daemon_threads = True
    database: Path


class Session(socketserver.StreamRequestHandler):
    """One connection."""

    disable_nagle_algorithm = True
    server: Server

    def handle(self) -> None:
        """Execute requests until the client closes the connection."""
        database = sqlite3.connect(self.server.database, isolation_level=None)
        database.execute("PRAGMA synchronous = OFF")
        try:
            while (request := read_request(self.rfile)) is not None:
                self.wfile.write(reply(database, request))
        finally:
            database.close()


def read_request(stream: BinaryIO) -> list[bytes] | None:
    """Return the words of a request; None at the end of the stream or if it is malformed."""
    head = stream.readline(64)
    if head[:1] != b"*" or not head[1:].strip().isdigit() or not 0 < int(head[1:]) <= 3:
        return None
    words = []
    for _ in range(int(head[1:])):
        size = stream.readline(64)
        if size[:1] != b"$" or not size[1:].strip().isdigit() or int(size[1:]) > _LARGEST:
            return None
        words.append(stream.read(int(size[1:]) + 2)[:-2])
    return words


def reply(database: sqlite3.Connection, request: list[bytes]) -> bytes:
    """Return the reply to a request."""
    name = request[0].upper()
    if name == b"GET" and len(request) == 2:
        row = database.execute("SELECT value FROM object WHERE name = ?", request[1:]).fetchone()
        return b"$-1\r\n" if row is None else b"$%d\r\n%b\r\n" % (len(row[0]), row[0])
    if name == b"SET" and len(request) == 3:
        database.execute("INSERT OR REPLACE INTO object VALUES (?, ?)", request[1:])
        return b"+OK\r\n"
    return b"+PONG\r\n" if name == b"PING" else b"-ERR unknown command\r\n"


def main(port: int) -> None:
    """Create the database, and serve until SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(prefix="neotest-sqlite-") as folder:
        path = Path(folder, "objects.sqlite")
        with sqlite3.connect(path) as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute(
                "CREATE TABLE object (name BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"
            )
        database.close()
        with Server(("127.0.0.1", port), Session) as server:
            server.database = path
            server.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]))
