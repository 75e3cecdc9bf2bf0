"""The result of `bench scale --network`: a solved network and its what-if cases."""

from collections.abc import Iterator
from itertools import pairwise

from harness.bench.scale.network_file import Network
from stallscope.documents import LARGEST, Amount, Document, Natural, Number, Record, field
from stallscope.errors import RecordingError
from stallscope.statistics.closed_network import Bounds, Solution, bounds, solve

_SHOWN = (1, 2, 5)  # times powers of ten


class CentreLoad(Record, frozen=True, kw_only=True):
    """A centre with all customers in the network."""

    name: str
    demand_s: Amount
    customers: Amount
    busy: Amount  # mean number of busy servers
    utilization: Amount | None  # busy / servers; None for a delay


class NetworkPoint(Record, frozen=True, kw_only=True):
    """Throughput and response time with N customers, and the bounds of throughput."""

    n: Natural = field(name="N")
    throughput: Amount = field(name="X")
    response_s: Amount = field(name="R")
    linear: Amount
    saturation: Amount | None


class NetworkCase(Record, frozen=True, kw_only=True):
    """A solved network."""

    name: str
    customers: Natural
    think_time_s: Amount
    throughput: Amount
    response_s: Amount
    change: Number | None  # of throughput against the first case
    bottleneck: str
    knee: Amount | None
    centres: tuple[CentreLoad, ...]
    points: tuple[NetworkPoint, ...]


class NetworkResult(Document, frozen=True, kw_only=True, tag="stallscope.bench.network/1"):
    """The network as it is, then its what-if cases; all values are modelled."""

    title: str
    kind: str  # "modelled"
    cases: tuple[NetworkCase, ...]


def network_result(networks: tuple[Network, ...], title: str) -> NetworkResult:
    """Return the solved networks. Raises RecordingError for an impossible one."""
    cases: list[NetworkCase] = []
    for network in networks:
        try:
            solution = solve(network.centres, network.customers, think_s=network.think_s)
            limits = bounds(network.centres, think_s=network.think_s)
        except ValueError as error:
            raise RecordingError(f"{title}: {network.name}: {error}", "correct the file") from error
        first = cases[0].throughput if cases else None
        cases.append(_case(network, solution, limits, first))
    return NetworkResult(title=title, kind="modelled", cases=tuple(cases))


def _case(network: Network, solution: Solution, limits: Bounds, first: float | None) -> NetworkCase:
    n = network.customers
    throughput = float(solution.throughput[n])
    finite = limits.saturation < LARGEST
    return NetworkCase(
        name=network.name,
        customers=n,
        think_time_s=network.think_s,
        throughput=throughput,
        response_s=max(0.0, float(solution.response_s[n])),
        change=None if first is None else throughput / first - 1,
        bottleneck=limits.bottleneck,
        knee=limits.knee if finite else None,
        centres=tuple(
            CentreLoad(
                name=centre.name,
                demand_s=centre.demand_s,
                customers=float(solution.customers[place, n]),
                busy=float(solution.busy[place, n]),
                utilization=(
                    None if centre.delay else float(solution.busy[place, n]) / centre.largest_speed
                ),
            )
            for place, centre in enumerate(network.centres)
        ),
        points=tuple(
            NetworkPoint(
                n=count,
                throughput=float(solution.throughput[count]),
                response_s=max(0.0, float(solution.response_s[count])),
                linear=limits.linear(count),
                saturation=limits.saturation if finite else None,
            )
            for count in shown_counts(n)
        ),
    )


def shown_counts(largest: int) -> list[int]:
    """Return 1, 2, 5, 10, 20 and so on up to ``largest``, which is included."""

    def steps() -> Iterator[int]:
        power = 1
        while power <= largest:
            yield from (step * power for step in _SHOWN if step * power <= largest)
            power *= 10
        yield largest

    counts = sorted(set(steps()))
    assert all(count < next_count for count, next_count in pairwise(counts))
    return counts
