"""Quantities as text and from text."""

import math

import pytest

from stallscope.quantities import (
    count_text,
    microseconds_text,
    parse_size,
    share_text,
    size_text,
    value_text,
)


@pytest.mark.parametrize(
    ("size", "text"),
    [(64, "64 B"), (4096, "4 KiB"), (1280 * 2**10, "1.25 MiB"), (2**30, "1 GiB"), (1023, "1023 B")],
)
def test_a_size_is_written_in_its_largest_unit(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4096", 4096),
        ("48K", 49152),
        ("48 KiB", 49152),
        ("1g", 2**30),
        (" 8M ", 2**23),
        ("2kb", 2048),
        ("1T", 2**40),
    ],
)
def test_sizes_are_read_with_and_without_a_unit(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "K", "-1", "1.5M", "1P", "4096 4", "9" * 40, "4Ki", "\uff10"])
def test_other_text_is_not_a_size(text: str) -> None:
    assert parse_size(text) is None


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (0.00001, "< 0.01 %"), (0.05, "5.00 %"), (0.5, "50.0 %"), (0.9999, "100 %"),
     (math.nan, "not known")],
)  # fmt: skip
def test_shares_are_written_in_percent(share: float, text: str) -> None:
    assert share_text(share) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0, "ns", "0 s"), (999, "ns", "999 ns"), (1_250_000, "ns", "1.25 ms"),
     (75_000_000_000, "ns", "75.0 s"), (9_999, "cycles", "9,999 cycles"),
     (12_345, "cycles", "12.3 k cycles"), (2_500_000_000, "cycles", "2.50 G cycles")],
)  # fmt: skip
def test_values_are_written_with_a_fitting_prefix(value: int, unit: str, text: str) -> None:
    assert value_text(value, unit) == text


@pytest.mark.parametrize(
    ("value_us", "text"),
    [
        (None, "n/a"),
        (0.1234, "0.123 \u00b5s"),
        (999, "999 \u00b5s"),
        (1500, "1.5 ms"),
        (2e6, "2 s"),
    ],
)
def test_microseconds_are_written_in_a_fitting_unit(value_us: float | None, text: str) -> None:
    assert microseconds_text(value_us) == text


def test_a_count_has_its_noun_in_the_right_number() -> None:
    assert [count_text(count, "host") for count in (0, 1, 1200)] == [
        "0 hosts",
        "1 host",
        "1,200 hosts",
    ]
