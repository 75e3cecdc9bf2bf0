"""A ready server for the terminal: where it listens, its pid, and commands to try next."""

from collections.abc import Iterator

from harness.cli.terminal import printable
from harness.serve.result import ServeResult
from stallscope.quantities import count_text


def lines(result: ServeResult) -> Iterator[str]:
    """Yield the lines that are printed when the server is ready."""
    stages = "in stages" if result.stages else "without stages"
    synthetic = " (synthetic code)" if result.path == "codec" else ""
    threads = len(result.threads)
    yield (
        f"stallscope-server, pid {result.pid}, on {printable(result.target)}: "
        f"path {result.path}{synthetic} {stages}, {count_text(threads, 'thread')}"
    )
    if result.unix is not None and result.port is not None:
        yield f"  also on unix:{printable(result.unix)}"
    yield f"  stallscope load {printable(result.target)}"
    yield f"  stallscope profile -p {result.pid}"
    if result.metrics_port is not None:
        yield f"  metrics: http://127.0.0.1:{result.metrics_port}/metrics"
