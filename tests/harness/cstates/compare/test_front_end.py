"""The front end that `stallscope-wake` runs, between a client and a server on this host."""

import os
import socket

from harness.cstates.compare.front_end import running_front_end


def test_requests_and_replies_pass_the_front_end() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)
        with running_front_end(server.getsockname()[1], min(os.sched_getaffinity(0))) as front_end:
            host, _, port = front_end.target.partition(":")
            with socket.create_connection((host, int(port)), timeout=20) as client:
                connection, _ = server.accept()
                with connection:
                    connection.settimeout(20)
                    client.sendall(b"request")
                    assert connection.recv(7, socket.MSG_WAITALL) == b"request"
                    connection.sendall(b"reply")
                    assert client.recv(5, socket.MSG_WAITALL) == b"reply"
                assert client.recv(1) == b""
            process = front_end.child.process
        assert process.returncode == 0
