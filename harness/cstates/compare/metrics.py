"""The metrics of compared runs, by the names of the JSON document."""

from dataclasses import dataclass

WALL, CPU = "wall_s", "cpu_s"
P50, P99, SERVER_CPU = "latency_p50_us", "latency_p99_us", "server_cpu_s"


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric's name with the unit for display, and the factor to that unit."""

    text: str
    factor: float


METRICS = {
    WALL: Metric("wall time, ms", 1e3),
    CPU: Metric("CPU time, ms", 1e3),
    P50: Metric("latency p50, us", 1.0),
    P99: Metric("latency p99, us", 1.0),
    SERVER_CPU: Metric("CPU time of the server, ms", 1e3),
}
