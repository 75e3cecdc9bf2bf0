"""Solved networks."""

import pytest

from harness.bench.scale.network_file import Network
from harness.bench.scale.network_result import network_result, shown_counts
from stallscope.errors import RecordingError
from stallscope.statistics.closed_network import Centre

JAIN = (Centre("a", 2), Centre("b", 3), Centre("c", 1))


def test_cases_are_compared_with_the_first() -> None:
    halved = (JAIN[0], Centre("b", 1.5), JAIN[2])
    first, second = network_result(
        (Network("as it is", 20, 4, JAIN), Network("half", 20, 4, halved)), "n.toml"
    ).cases
    assert first.throughput == pytest.approx(0.333247, abs=1e-6)
    assert first.change is None
    assert second.change == pytest.approx(0.498835 / 0.333247 - 1, abs=1e-5)
    assert (first.bottleneck, second.bottleneck) == ("b", "a")
    assert first.centres[1].utilization == pytest.approx(0.9997, abs=1e-4)
    assert first.points[-1].response_s == pytest.approx(56.016, abs=1e-3)


def test_impossible_networks_name_their_case() -> None:
    with pytest.raises(RecordingError, match=r"n.toml: bad: centre a: demand -1 s"):
        network_result((Network("bad", 1, 0, (Centre("a", -1),)),), "n.toml")


def test_counts_shown_include_the_largest() -> None:
    assert shown_counts(1) == [1]
    assert shown_counts(30) == [1, 2, 5, 10, 20, 30]
