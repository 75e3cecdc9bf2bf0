"""Lists of CPUs, read strictly: what is written comes back, and what is odd is named."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stallscope.cpu_lists import cpus_in_list, format_cpu_list, listed_cpus, parse_cpu_list
from stallscope.errors import UsageError
from stallscope.system_files import MOST_CPUS


@settings(deadline=None)
@given(st.sets(st.integers(0, MOST_CPUS - 1), min_size=1, max_size=200))
def test_what_is_written_comes_back(cpus: set[int]) -> None:
    assert parse_cpu_list(format_cpu_list(cpus)) == tuple(sorted(cpus))


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 20)), min_size=1, max_size=20))
def test_ranges_in_any_order_name_each_cpu_once(spans: list[tuple[int, int]]) -> None:
    text = ",".join(f"{first}-{first + more}" for first, more in spans)
    expected = {cpu for first, more in spans for cpu in range(first, first + more + 1)}
    assert parse_cpu_list(text) == tuple(sorted(expected))
    listed = [cpu for first, more in spans for cpu in range(first, first + more + 1)]
    assert listed_cpus(text) == tuple(listed)


@settings(deadline=None)
@given(st.text(max_size=12))
def test_any_text_is_a_list_or_a_usage_error(text: str) -> None:
    try:
        cpus = parse_cpu_list(text)
    except UsageError:
        return
    assert cpus == tuple(sorted(set(cpus)))
    assert all(0 <= cpu < MOST_CPUS for cpu in cpus)
    assert parse_cpu_list(format_cpu_list(cpus)) == cpus


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("0-3,8-,x", "'8-' is no CPU and no range"),
        ("x", "'x' is no CPU"),
        ("", "'' is no CPU"),
        ("0,,1", "'' is no CPU"),
        ("3-0", "'3-0' descends"),
        ("-1", "'-1' is no CPU"),
        ("0-99999", "beyond 65535"),
        ("99999999999999999999", "is no CPU"),
        ("1.5", "'1.5' is no CPU"),
        ("0-65535,0", "more than 65536 CPUs"),
        ("٣", "is no CPU"),
    ],
)
def test_the_part_that_is_wrong_is_named(text: str, named: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_cpu_list(text)
    assert named in refused.value.message
    assert "0-3,8" in refused.value.remedy


@settings(deadline=None)
@given(st.text(alphabet="0123456789,- \n", max_size=12))
def test_a_file_of_the_kernel_holds_the_same_list_or_none(text: str) -> None:
    try:
        expected = parse_cpu_list(text)
    except UsageError:
        expected = ()
    assert cpus_in_list(text) == expected


def test_the_empty_set_is_an_empty_list() -> None:
    assert format_cpu_list(()) == ""
