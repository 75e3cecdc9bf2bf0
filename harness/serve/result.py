"""The document of `stallscope serve`: where a ready server listens."""

from harness.workload.server import RunningServer
from stallscope.documents import Count, Document, Record


class ServeThread(Record, frozen=True, kw_only=True):
    """A thread of the server; ``cpu`` is None if it is not pinned."""

    tid: Count
    cpu: Count | None


class ServeResult(Document, frozen=True, kw_only=True, tag="stallscope.serve/1"):
    """A server that accepts connections."""

    pid: Count
    target: str  # in the form that `stallscope load` accepts
    port: Count | None
    unix: str | None
    metrics_port: Count | None
    path: str
    stages: bool
    threads: tuple[ServeThread, ...]


def serve_result(server: RunningServer) -> ServeResult:
    """Return the document of a ready server."""
    options = server.options
    return ServeResult(
        pid=server.pid,
        target=server.target,
        port=server.port,
        unix=None if options.unix is None else str(options.unix),
        metrics_port=server.metrics_port,
        path=options.path,
        stages=options.stages,
        threads=tuple(ServeThread(tid=thread.tid, cpu=thread.cpu) for thread in server.threads),
    )
