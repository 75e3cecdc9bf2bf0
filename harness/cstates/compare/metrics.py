"""The metrics of compared runs, by the names of the JSON document.

If several numbers of connections are compared, each has its own metrics: `latency_p50_us:4` is the
median latency at 4 connections.
"""

from dataclasses import dataclass

from stallscope.quantities import count_text

WALL, CPU = "wall_s", "cpu_s"
P50, P99, SERVER_CPU = "latency_p50_us", "latency_p99_us", "server_cpu_s"


@dataclass(frozen=True, slots=True)
class MetricDisplay:
    """A metric's name with the unit for display, and the factor to that unit."""

    text: str
    factor: float


METRICS = {
    WALL: MetricDisplay("wall time, ms", 1e3),
    CPU: MetricDisplay("CPU time, ms", 1e3),
    P50: MetricDisplay("latency p50, us", 1.0),
    P99: MetricDisplay("latency p99, us", 1.0),
    SERVER_CPU: MetricDisplay("CPU time of the server, ms", 1e3),
}


def metric_at(name: str, connections: int) -> str:
    """Return the name of a metric at one of several numbers of connections."""
    return f"{name}:{connections}"


def base_and_connections(name: str) -> tuple[str, int | None]:
    """Return a metric's name without its number of connections, and that number if it has one."""
    base, colon, connections = name.partition(":")
    return base, int(connections) if colon else None


def order_of(name: str) -> int:
    """Return the place of a metric among others: its number of connections."""
    return base_and_connections(name)[1] or 0


def description(name: str) -> str:
    """Return a metric's text without its unit, such as "latency p50 at 4 connections"."""
    base, connections = base_and_connections(name)
    text = METRICS[base].text.partition(",")[0]
    if connections is None:
        return text
    return f"{text} at {count_text(connections, 'connection')}"
