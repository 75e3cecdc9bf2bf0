"""Closed queueing networks with one class of customers: exact mean value analysis.

N customers circulate between centres; between two rounds each thinks for Z seconds. A centre has a
demand D, the seconds of service per round. Networks of single servers and delays are solved by the
recursion of mean value analysis. A centre with several servers, or with a speed that depends on
its customers, needs probabilities, and the textbook recursion P(0) = 1 - sum loses all digits for
many servers. These networks are solved by convolution of normalization constants in logarithms,
which only adds positive terms. Sources: Reiser and Lavenberg, Mean-value analysis of closed
multichain queuing networks, 1980; Buzen, Computational algorithms for closed queueing networks
with exponential servers, 1973.

    >>> cpu, disk = Centre("cpu", 0.05), Centre("disk", 0.05)
    >>> solution = solve([cpu, disk], 10)
    >>> round(solution.throughput[10], 3)  # n / (0.05 (n + 1))
    18.182

Cost: recursion O(N) per centre; convolution O(N^2) per centre, 0.1 s for N = 1000.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MAX_CUSTOMERS = 10_000


@dataclass(frozen=True, slots=True)
class Centre:
    """A service centre: seconds of service per round, and how its speed grows.

    ``speeds``: relative speed with 1, 2, ... customers; the last one also holds beyond. Without
    them the centre has ``servers`` equal servers. A ``delay`` has no queue.
    """

    name: str
    demand_s: float
    servers: int = 1
    speeds: tuple[float, ...] = ()
    delay: bool = False

    @property
    def is_simple(self) -> bool:
        """Return whether mean values suffice: a single server, or a delay."""
        return self.delay or (self.servers == 1 and not self.speeds)

    @property
    def largest_speed(self) -> float:
        """Return the speed with any number of customers; infinite for a delay."""
        if self.delay:
            return math.inf
        return max(self.speeds) if self.speeds else float(self.servers)

    def speed(self, customers: int) -> Floats:
        """Return the speed with 1 to ``customers`` customers, (customers,)."""
        counts = np.arange(1.0, customers + 1)
        if self.delay:
            return counts
        if not self.speeds:
            limited: Floats = np.minimum(counts, self.servers)
            return limited
        speeds = np.asarray(self.speeds, dtype=float)
        result: Floats = speeds[np.minimum(counts.astype(int), speeds.size) - 1]
        return result


@dataclass(frozen=True, slots=True)
class Solution:
    """Mean values for 0 to N customers; index 0 is the empty network.

    ``throughput`` (N + 1,): rounds per second. ``response_s`` (N + 1,): seconds of a round without
    thinking. ``customers`` (n_centres, N + 1): mean number at each centre. ``busy`` (n_centres,
    N + 1): mean number of busy servers, by the utilization law X D.
    """

    throughput: Floats
    response_s: Floats
    customers: Floats
    busy: Floats


def solve(centres: Sequence[Centre], customers: int, *, think_s: float = 0.0) -> Solution:
    """Return the exact solution for 0 to ``customers`` customers.

    Raises ValueError for a network without service, and for values out of range.
    """
    _check(centres, customers, think_s)
    if all(centre.is_simple for centre in centres):
        throughput, present = _mean_values(centres, customers, think_s)
    else:
        throughput, present = _convolved(centres, customers, think_s)
    counts = np.arange(customers + 1.0)
    response = np.zeros(customers + 1)
    response[1:] = counts[1:] / throughput[1:] - think_s
    demands = np.array([centre.demand_s for centre in centres])
    return Solution(throughput, response, present, demands[:, None] * throughput)


def _check(centres: Sequence[Centre], customers: int, think_s: float) -> None:
    if not 1 <= customers <= MAX_CUSTOMERS:
        raise ValueError(f"{customers} customers, expected 1 to {MAX_CUSTOMERS}")
    if not (math.isfinite(think_s) and think_s >= 0):
        raise ValueError(f"think time {think_s:g} s is not a number from 0")
    for centre in centres:
        if not (math.isfinite(centre.demand_s) and centre.demand_s >= 0):
            raise ValueError(
                f"centre {centre.name}: demand {centre.demand_s:g} s is not a number from 0"
            )
        if centre.servers < 1:
            raise ValueError(f"centre {centre.name}: {centre.servers} servers")
        if not all(math.isfinite(speed) and speed > 0 for speed in centre.speeds):
            raise ValueError(f"centre {centre.name}: a speed is not a number above 0")
    if not any(centre.demand_s > 0 for centre in centres):
        raise ValueError("no centre has a demand above 0")


def _mean_values(
    centres: Sequence[Centre], customers: int, think_s: float
) -> tuple[Floats, Floats]:
    """Return throughput and customers by the recursion of mean value analysis."""
    demands = np.array([centre.demand_s for centre in centres])
    queued = np.array([not centre.delay for centre in centres])
    throughput = np.zeros(customers + 1)
    present = np.zeros((len(centres), customers + 1))
    for n in range(1, customers + 1):
        residence = demands * (1 + queued * present[:, n - 1])
        throughput[n] = n / (think_s + residence.sum())
        present[:, n] = throughput[n] * residence
    return throughput, present


def _convolved(centres: Sequence[Centre], customers: int, think_s: float) -> tuple[Floats, Floats]:
    """Return throughput and customers from normalization constants, all as logarithms."""
    thinking = Centre("think", think_s, delay=True)
    factors = [_log_factors(centre, customers) for centre in (*centres, thinking)]
    empty = np.full(customers + 1, -np.inf)
    empty[0] = 0.0
    before = [empty]  # of the centres before each one
    for factor in factors:
        before.append(_log_convolution(before[-1], factor))
    whole = before.pop()
    throughput = np.zeros(customers + 1)
    throughput[1:] = np.exp(whole[:-1] - whole[1:])
    present = np.zeros((len(centres), customers + 1))
    after = factors[-1]
    with np.errstate(divide="ignore"):
        log_counts = np.log(np.arange(customers + 1.0))
    for place in reversed(range(len(centres))):
        others = _log_convolution(before[place], after)
        weighted = _log_convolution(log_counts + factors[place], others)
        present[place] = np.exp(weighted - whole)
        after = _log_convolution(after, factors[place])
    return throughput, present


def _log_factors(centre: Centre, customers: int) -> Floats:
    """Return the logarithm of D^k / (speed(1) ... speed(k)) for k from 0."""
    factors = np.full(customers + 1, -np.inf)
    factors[0] = 0.0
    if centre.demand_s > 0:
        factors[1:] = np.cumsum(math.log(centre.demand_s) - np.log(centre.speed(customers)))
    return factors


def _log_convolution(first: Floats, second: Floats) -> Floats:
    """Return the logarithm of the convolution of two sequences of logarithms of one length."""
    result = np.full(first.size, -np.inf)
    for n in range(first.size):
        terms = first[: n + 1] + second[n::-1]
        largest = terms.max()
        if largest > -np.inf:
            result[n] = largest + math.log(np.exp(terms - largest).sum())
    return result


@dataclass(frozen=True, slots=True)
class Bounds:
    """Asymptotic bounds of a network: X <= min(N / (R0 + Z), saturation).

    ``knee``: the number of customers at which both bounds meet.
    """

    minimum_response_s: float
    think_s: float
    saturation: float  # rounds per second; infinite if every centre is a delay
    bottleneck: str  # name of the centre that saturates first; empty without one
    knee: float

    def linear(self, customers: float) -> float:
        """Return the bound of throughput without any queue."""
        return customers / (self.minimum_response_s + self.think_s)


def bounds(centres: Sequence[Centre], *, think_s: float = 0.0) -> Bounds:
    """Return the asymptotic bounds. Source: Denning and Buzen, 1978."""
    response = sum(centre.demand_s / float(centre.speed(1)[0]) for centre in centres)
    loads = {centre.name: centre.demand_s / centre.largest_speed for centre in centres}
    bottleneck = max(loads, key=lambda name: loads[name], default="")
    load = loads.get(bottleneck, 0.0)
    saturation = 1 / load if load > 0 else math.inf
    return Bounds(
        minimum_response_s=response,
        think_s=think_s,
        saturation=saturation,
        bottleneck=bottleneck if load > 0 else "",
        knee=(response + think_s) * saturation,
    )
