"""Facts and cells of `cstates show`."""

import pytest
from msgspec import structs

from harness.cstates.show.groups import cpu_groups
from harness.cstates.show.rows import (
    facts,
    group_facts,
    limit_text,
    mhz,
    rate,
    span_text,
    state_rows,
)
from tests.harness.cstates.show.results import Machines, result_of


def test_the_latency_limit_names_its_holders(machine: Machines) -> None:
    result = result_of(machine("ice-lake-server"))
    assert "/dev/cpu_dma_latency is held by tuned (812)" in limit_text(result)
    limit = structs.replace(result.latency_limit, holders=(), unseen_processes=3)
    unseen = structs.replace(result, latency_limit=limit)
    assert limit_text(unseen).endswith("; 3 processes cannot be inspected by this user")


def test_a_machine_without_states_has_the_reason_instead_of_a_driver(machine: Machines) -> None:
    labels = dict(facts(result_of(machine("no-cpuidle"))))
    assert "idle=poll" in labels["Sleep states"]
    assert "Driver" not in labels


def test_rates_name_their_time_span(machine: Machines) -> None:
    result = result_of(machine("ice-lake-server"))
    assert span_text(result).startswith("Counted since boot (")
    assert "uptime unknown" in span_text(structs.replace(result, uptime_s=None))
    assert "over 2.5 s" in span_text(structs.replace(result, interval_s=2.5))


def test_closed_states_are_marked_with_the_reason(machine: Machines) -> None:
    result = result_of(machine("ice-lake-server"))
    rows = [row for group in cpu_groups(result) for row in state_rows(group)]
    closed = [row.cells[3] for row in rows if row.closed]
    assert "latency limit" in closed
    assert all(row.cells[3] == "yes" for row in rows if not row.closed)


def test_a_group_has_its_frequency_policy(machine: Machines) -> None:
    result = result_of(machine("ice-lake-server"))
    labels = dict(group_facts(cpu_groups(result)[0], result.frequency))
    assert "intel_cpufreq" in labels["Frequency"]
    assert "MHz" in labels["Frequency"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (rate(None), "n/a"),
        (rate(0.01234), "0.0123"),
        (rate(123456.7), "123,457"),
        (mhz(None), "n/a"),
        (mhz(2_650_000), "2650"),
    ],
)
def test_numbers_have_few_digits_and_unknown_ones_none(text: str, expected: str) -> None:
    assert text == expected
