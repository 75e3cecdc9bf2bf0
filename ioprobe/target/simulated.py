"""Simulated disks in virtual time: a number of servers behind one queue."""

import re
from dataclasses import dataclass

from stallscope.errors import UsageError

PREFIX = "sim:"
MAX_SERVERS = 4096
MAX_SERVICE_NS = 60 * 10**9
_TIME = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(ns|us|ms|s)")
_NS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
_REMEDY = "write sim:servers=8,service=1ms or sim:servers=8,service=1ms,exponential"


@dataclass(frozen=True, slots=True)
class SimulatedDisk:
    """A disk of ``servers`` servers behind one queue; its results are modelled."""

    servers: int
    service_ns: int
    exponential: bool = False

    @property
    def service(self) -> str:
        """Return the distribution of service times: "fixed" or "exponential"."""
        return "exponential" if self.exponential else "fixed"


def parse_simulated(text: str) -> SimulatedDisk:
    """Return the disk described by ``sim:servers=8,service=1ms[,exponential]``.

    Raises UsageError.
    """
    words = text.removeprefix(PREFIX).split(",")
    kinds = [word for word in words if word in ("exponential", "fixed")]
    pairs = [word.partition("=") for word in words if word not in kinds]
    values = {name: value for name, _, value in pairs}
    if len(kinds) > 1 or len(values) != len(pairs) or set(values) != {"servers", "service"}:
        raise UsageError(f"{text}: a simulated disk needs servers and a service time", _REMEDY)
    servers, service_ns = _servers(text, values["servers"]), _service_ns(text, values["service"])
    return SimulatedDisk(servers, service_ns, exponential=kinds == ["exponential"])


def _servers(text: str, value: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", value) or not 1 <= int(value) <= MAX_SERVERS:
        raise UsageError(f"{text}: servers must be a number from 1 to {MAX_SERVERS}", _REMEDY)
    return int(value)


def _service_ns(text: str, value: str) -> int:
    match = _TIME.fullmatch(value)
    service_ns = round(float(match[1]) * _NS[match[2]]) if match else 0
    if not 1 <= service_ns <= MAX_SERVICE_NS:
        raise UsageError(
            f"{text}: service must be a time from 1ns to {MAX_SERVICE_NS // 10**9}s", _REMEDY
        )
    return service_ns
