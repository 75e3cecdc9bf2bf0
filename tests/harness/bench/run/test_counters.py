"""Counters of commands: the reason stands in place of a value."""

from harness.bench.run.counters import first_reason, missing_counters


def test_missing_counters_name_the_reason_and_have_no_value() -> None:
    counters = missing_counters("no hardware counters", 2)
    assert len(counters) == 2
    assert counters[0].instructions is None
    assert counters[0].slots == {}
    assert first_reason(counters) == "no hardware counters"
