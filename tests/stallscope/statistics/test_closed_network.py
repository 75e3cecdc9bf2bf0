"""Closed queueing networks against textbook results."""

import math

import numpy as np
import pytest

from stallscope.statistics.closed_network import Centre, bounds, solve

JAIN = [Centre("a", 2), Centre("b", 3), Centre("c", 1)]


def test_jain_with_think_time() -> None:
    solution = solve(JAIN, 20, think_s=4)
    for n, x in ((1, 0.1), (2, 0.175439), (5, 0.289752), (10, 0.328193), (20, 0.333247)):
        assert solution.throughput[n] == pytest.approx(x, abs=1e-6)
    assert solution.response_s[20] == pytest.approx(56.016, abs=1e-3)
    assert solution.customers[:, 20] == pytest.approx([1.991, 16.177, 0.5], abs=1e-3)


def test_jain_with_half_the_second_demand() -> None:
    halved = [JAIN[0], Centre("b", 1.5), JAIN[2]]
    assert solve(halved, 20, think_s=4).throughput[20] == pytest.approx(0.498835, abs=1e-6)


def test_jain_with_two_servers_at_the_first_centre() -> None:
    servers = [Centre("a", 2, servers=2), *JAIN[1:]]
    assert solve(servers, 20, think_s=4).throughput[20] == pytest.approx(0.333333, abs=1e-6)


def test_bolch_8_4() -> None:
    centres = [
        Centre("two servers", 0.5, servers=2),
        Centre("b", 0.3),
        Centre("c", 0.4),
        Centre("d", 1, delay=True),
    ]
    solution = solve(centres, 3)
    assert solution.throughput[3] == pytest.approx(1.217461, abs=1e-6)
    assert solution.customers[:, 3] == pytest.approx([0.6237, 0.4729, 0.6860, 1.2175], abs=1e-4)


def test_many_servers_stay_stable_where_the_textbook_recursion_breaks() -> None:
    centres = [Centre("cpu", 1, servers=32), Centre("disk", 0.01)]
    solution = solve(centres, 200, think_s=2)
    assert solution.throughput[200] == pytest.approx(32.0, abs=1e-6)
    assert (np.diff(solution.throughput) > -1e-9).all()
    totals = solution.customers.sum(axis=0) + 2 * solution.throughput
    assert totals == pytest.approx(np.arange(201), abs=1e-9)


def test_two_equal_centres_have_a_closed_form() -> None:
    solution = solve([Centre("a", 0.05), Centre("b", 0.05)], 50)
    n = np.arange(51)
    assert solution.throughput == pytest.approx(n / (0.05 * (n + 1)))


def test_convolution_and_recursion_agree() -> None:
    """A centre whose speeds are all 1 is a single server, but takes the other way."""
    by_speed = [JAIN[0], Centre("b", 3, speeds=(1.0,)), JAIN[2], Centre("d", 0.7, delay=True)]
    plain = [*JAIN, Centre("d", 0.7, delay=True)]
    by_speed_solution, other = solve(by_speed, 60, think_s=4), solve(plain, 60, think_s=4)
    assert by_speed_solution.throughput == pytest.approx(other.throughput, rel=1e-12)
    assert by_speed_solution.customers == pytest.approx(other.customers, rel=1e-9)


def test_speeds_of_several_servers_are_those_servers() -> None:
    servers = solve([Centre("a", 1, servers=3), Centre("b", 0.2)], 30)
    speeds = solve([Centre("a", 1, speeds=(1.0, 2.0, 3.0)), Centre("b", 0.2)], 30)
    assert servers.throughput == pytest.approx(speeds.throughput)


def test_littles_law_and_the_utilization_law_hold() -> None:
    centres = [Centre("a", 0.4, servers=4), Centre("b", 0.15), Centre("c", 0.3, speeds=(1, 1.6))]
    solution = solve(centres, 40, think_s=0.5)
    counts = np.arange(41)
    assert solution.throughput * (solution.response_s + 0.5) == pytest.approx(counts)
    assert solution.busy[0, 40] == pytest.approx(0.4 * solution.throughput[40])
    assert (solution.busy[0] <= 4).all()
    limits = bounds(centres, think_s=0.5)
    assert (solution.throughput <= limits.saturation + 1e-9).all()
    assert (solution.throughput[1:] <= [limits.linear(n) + 1e-9 for n in counts[1:]]).all()


def test_bounds_name_the_bottleneck_and_the_knee() -> None:
    limits = bounds(JAIN, think_s=4)
    assert limits.bottleneck == "b"
    assert limits.saturation == pytest.approx(1 / 3)
    assert limits.knee == pytest.approx(10 / 3)
    assert bounds([Centre("d", 1, delay=True)]).saturation == math.inf


@pytest.mark.parametrize(
    ("centres", "customers", "think_s", "message"),
    [
        ([], 1, 0.0, "no centre has a demand"),
        ([Centre("a", 0)], 1, 1.0, "no centre has a demand"),
        ([Centre("a", math.nan)], 1, 0.0, "centre a: demand nan s"),
        ([Centre("a", -1)], 1, 0.0, "centre a: demand -1 s"),
        ([Centre("a", 1, servers=0)], 1, 0.0, "centre a: 0 servers"),
        ([Centre("a", 1, speeds=(0.0,))], 1, 0.0, "a speed is not"),
        ([Centre("a", 1)], 0, 0.0, "0 customers"),
        ([Centre("a", 1)], 1, -1.0, "think time -1 s"),
    ],
)  # fmt: skip
def test_impossible_networks_are_named(centres, customers, think_s, message) -> None:
    with pytest.raises(ValueError, match=message):
        solve(centres, customers, think_s=think_s)
