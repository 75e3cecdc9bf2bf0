"""The order of the runs, and when wake-ups are measured."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.load.rates import session
from harness.load.rates.measurement import RateReading
from harness.load.rates.options import RatesOptions
from harness.workload.options import LoadOptions
from stallscope.errors import TargetError
from tests.harness.load.rates.rates import HIGH, LOW, result


def options(folder: Path) -> RatesOptions:
    return RatesOptions(LoadOptions("unix:/s", folder / "rates"), (LOW, HIGH), 5)


@pytest.fixture
def p50_us(monkeypatch: pytest.MonkeyPatch) -> dict[float, float]:
    """p50 by rate of the simulated target."""
    by_rate = {LOW: 120.0, HIGH: 60.0}
    monkeypatch.setattr(
        session,
        "_run",
        lambda _, number, rate: RateReading(number, rate, result(by_rate[rate])),
    )
    return by_rate


def test_every_second_round_begins_with_the_highest_rate(tmp_path: Path) -> None:
    order = list(session.rate_order(replace(options(tmp_path), rounds=2)))
    assert order == [(0, LOW), (0, HIGH), (1, HIGH), (1, LOW)]


def test_wake_ups_are_measured_after_the_gaps_of_a_falling_latency(
    p50_us: dict[float, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    def wake(pause_us: float, duration_s: float, *, kind: str, cpus: str) -> float:
        assert kind == "unix"
        pauses.append(pause_us)
        return pause_us / 10

    monkeypatch.setattr(session, "wake_round_trip_us", wake)
    rates = session.measure_rates(options(tmp_path))
    assert pauses == [1000.0, 62.5]
    assert rates.wake_us == {LOW: 100.0, HIGH: 6.25}


def test_without_a_fall_no_wake_up_is_measured(
    p50_us: dict[float, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    p50_us[HIGH] = 125.0
    monkeypatch.delattr(session, "wake_round_trip_us")
    assert session.measure_rates(options(tmp_path)).wake_us == {}


def test_a_failing_wake_test_is_a_reason(
    p50_us: dict[float, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> float:
        raise TargetError("no such program", "install it")

    monkeypatch.setattr(session, "wake_round_trip_us", fail)
    rates = session.measure_rates(options(tmp_path))
    assert rates.wake_unavailable == "wake-ups cannot be measured: no such program"
