"""Disks that exist in virtual time only: so many servers, each with a service time."""

import re
from dataclasses import dataclass

from stallscope.errors import UsageError

PREFIX = "sim:"
MOST_SERVERS = 4096
LONGEST_SERVICE_NS = 60 * 10**9
_TIME = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(ns|us|ms|s)")
_NS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
_REMEDY = "written as sim:servers=8,service=1ms or sim:servers=8,service=1ms,exponential"


@dataclass(frozen=True, slots=True)
class Simulated:
    """A disk of ``servers`` servers behind one queue; what is measured on it is modelled."""

    servers: int
    service_ns: int
    exponential: bool = False

    @property
    def service(self) -> str:
        """Return how service times are distributed: "fixed" or "exponential"."""
        return "exponential" if self.exponential else "fixed"


def parse_simulated(text: str) -> Simulated:
    """Return the disk that ``sim:servers=8,service=1ms[,exponential]`` names.

    Raises UsageError.
    """
    words = text.removeprefix(PREFIX).split(",")
    kinds = [word for word in words if word in ("exponential", "fixed")]
    named = [word.partition("=") for word in words if word not in kinds]
    values = {name: value for name, _, value in named}
    if len(kinds) > 1 or len(values) != len(named) or set(values) != {"servers", "service"}:
        raise UsageError(f"{text}: a simulated disk has servers and a service time", _REMEDY)
    servers, service_ns = _servers(text, values["servers"]), _service_ns(text, values["service"])
    return Simulated(servers, service_ns, exponential=kinds == ["exponential"])


def _servers(text: str, value: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", value) or not 1 <= int(value) <= MOST_SERVERS:
        raise UsageError(f"{text}: servers is a number from 1 to {MOST_SERVERS}", _REMEDY)
    return int(value)


def _service_ns(text: str, value: str) -> int:
    found = _TIME.fullmatch(value)
    service_ns = round(float(found[1]) * _NS[found[2]]) if found else 0
    if not 1 <= service_ns <= LONGEST_SERVICE_NS:
        raise UsageError(
            f"{text}: service is a time from 1ns to {LONGEST_SERVICE_NS // 10**9}s", _REMEDY
        )
    return service_ns
