"""A server that receives profiles on 127.0.0.1."""

import gzip
import http.server
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from harness.continuous.endpoint import Endpoint, parse_endpoint


@contextmanager
def receiver(
    statuses: Sequence[int], body: bytes = b"", **headers: str
) -> Iterator[tuple[Endpoint, list[tuple[str, dict[str, str], bytes]]]]:
    """Yield the endpoint of a server, and path, headers and content of the requests it received.

    The replies have the ``statuses`` in turn; the last one repeats.
    """
    requests: list[tuple[str, dict[str, str], bytes]] = []
    remaining = list(statuses)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            requests.append((self.path, dict(self.headers), gzip.decompress(content)))
            self.send_response(remaining.pop(0) if len(remaining) > 1 else remaining[0])
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield parse_endpoint(f"http://127.0.0.1:{server.server_port}"), requests
        finally:
            server.shutdown()
            thread.join()
