"""CPU lists: strict parsing, and formatting that can be parsed again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stallscope.cpu_lists import cpus_in_list, expand_cpu_list, format_cpu_list, parse_cpu_list
from stallscope.errors import UsageError
from stallscope.system_files import MAX_CPUS


@settings(deadline=None)
@given(st.sets(st.integers(0, MAX_CPUS - 1), min_size=1, max_size=200))
def test_a_formatted_list_parses_to_the_same_cpus(cpus: set[int]) -> None:
    assert parse_cpu_list(format_cpu_list(cpus)) == tuple(sorted(cpus))


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 20)), min_size=1, max_size=20))
def test_ranges_may_overlap_and_come_in_any_order(spans: list[tuple[int, int]]) -> None:
    text = ",".join(f"{first}-{first + more}" for first, more in spans)
    expected = {cpu for first, more in spans for cpu in range(first, first + more + 1)}
    assert parse_cpu_list(text) == tuple(sorted(expected))
    expanded = [cpu for first, more in spans for cpu in range(first, first + more + 1)]
    assert expand_cpu_list(text) == tuple(expanded)


@settings(deadline=None)
@given(st.text(max_size=12))
def test_any_text_is_a_list_or_a_usage_error(text: str) -> None:
    try:
        cpus = parse_cpu_list(text)
    except UsageError:
        return
    assert cpus == tuple(sorted(set(cpus)))
    assert all(0 <= cpu < MAX_CPUS for cpu in cpus)
    assert parse_cpu_list(format_cpu_list(cpus)) == cpus


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-3,8-,x", "'8-' is neither a CPU nor a range"),
        ("x", "'x' is neither a CPU"),
        ("", "'' is neither a CPU"),
        ("0,,1", "'' is neither a CPU"),
        ("3-0", "'3-0' descends"),
        ("-1", "'-1' is neither a CPU"),
        ("0-99999", "above 65535"),
        ("99999999999999999999", "is neither a CPU"),
        ("1.5", "'1.5' is neither a CPU"),
        ("0-65535,0", "more than 65536 CPUs"),
        ("٣", "is neither a CPU"),
    ],
)
def test_an_error_names_the_wrong_part(text: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_cpu_list(text)
    assert message in raised.value.message
    assert "0-3,8" in raised.value.remedy


@settings(deadline=None)
@given(st.text(alphabet="0123456789,- \n", max_size=12))
def test_a_kernel_file_has_the_same_syntax(text: str) -> None:
    try:
        expected = parse_cpu_list(text)
    except UsageError:
        expected = ()
    assert cpus_in_list(text) == expected


def test_no_cpus_give_an_empty_list() -> None:
    assert format_cpu_list(()) == ""
