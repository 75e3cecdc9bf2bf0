"""The options of `stallscope record --flight`."""

from pathlib import Path
from typing import Any

import pytest

from harness.flight.options import FREQUENCY_HZ, FlightOptions, flight_options
from stallscope.collector import CollectorOptions
from stallscope.errors import UsageError

_COLLECTOR = CollectorOptions(output=Path("out"), pids=(1,))


def _values(**changes: Any) -> dict[str, Any]:
    values = {
        "flight": "30s",
        "conditions": ("signal",),
        "flight_after": None,
        "flight_memory_mib": None,
        "repeat": None,
        "cool_down": None,
        "slots": False,
    }
    return values | changes


def _options(collector: CollectorOptions = _COLLECTOR, **changes: Any) -> FlightOptions:
    options = flight_options(collector, _values(**changes))
    assert options is not None
    return options


def test_without_flight_there_are_no_options() -> None:
    assert flight_options(_COLLECTOR, _values(flight=None, conditions=())) is None


def test_the_collector_keeps_the_time_before_and_after_the_trigger() -> None:
    collector = _options(flight_after="5s", flight_memory_mib=8).collector_for(1, None)
    assert collector.flight_s == 35
    assert collector.flight_memory_mib == 8
    assert collector.flight_ends == ("stopped",)
    assert collector.frequency_hz == FREQUENCY_HZ
    assert collector.output == Path("out")
    words = collector.arguments()
    assert "--flight=35.0" in words
    assert "--flight-ends=stopped" in words


def test_a_rate_of_the_user_is_kept() -> None:
    collector = CollectorOptions(output=Path("out"), pids=(1,), frequency_hz=999)
    assert _options(collector).collector_for(1, None).frequency_hz == 999


def test_ends_of_conditions_are_passed_to_the_collector() -> None:
    options = _options(conditions=("exit", "duration"))
    assert options.ends == ("duration", "stopped", "target ended")


def test_repeated_recordings_are_numbered() -> None:
    options = _options(repeat=3)
    assert options.collector_for(2, 7.0).output == Path("out-2")
    assert options.collector_for(2, 7.0).duration_s == 7.0


def test_the_maximum_size_is_of_all_recordings() -> None:
    collector = CollectorOptions(output=Path("out"), pids=(1,), max_size_mib=3)
    options = _options(collector)
    assert options.max_total_bytes == 3 << 20
    assert options.collector_for(1, None).max_size_mib is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"flight": None}, "--on belongs to --flight"),
        ({"flight": None, "conditions": (), "repeat": 2}, "--repeat belongs to --flight"),
        ({"conditions": ()}, "--flight needs a trigger"),
        ({"flight": "0s"}, "--flight: '0s' is not a time"),
        ({"slots": True}, "--slots and --flight"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        flight_options(_COLLECTOR, _values(**changes))


def test_a_command_cannot_be_repeated() -> None:
    collector = CollectorOptions(output=Path("out"), command=("make",))
    with pytest.raises(UsageError, match="--repeat would start the command again"):
        flight_options(collector, _values(repeat=2))


def test_conditions_on_requests_record_requests_and_count_slow_ones() -> None:
    options = _options(conditions=("p99>5ms", "signal", "p50>1.5us"))
    collector = options.collector_for(1, None)
    assert collector.requests
    assert "--slow-requests=5000000,1500" in collector.arguments()
    assert not _options().collector_for(1, None).requests
