"""The ready message of a server with two sockets."""

from harness.serve.result import ServeResult, ServeThread

RESULT = ServeResult(
    pid=7, target="127.0.0.1:7379", port=7379, unix="/run/s", metrics_port=9100, path="codec",
    stages=True, threads=(ServeThread(tid=7, cpu=None),),
)  # fmt: skip
