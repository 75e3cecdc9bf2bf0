"""Sizes and times on the command line."""

import pytest

from harness.cli.quantity_options import seconds_of, share_of, size_of, time_ns
from stallscope.errors import UsageError


@pytest.mark.parametrize(("text", "size_bytes"), [("4096", 4096), ("48K", 49152), ("1g", 2**30)])
def test_a_size_may_have_a_binary_unit(text: str, size_bytes: int) -> None:
    assert size_of("--block", text) == size_bytes


@pytest.mark.parametrize(
    ("text", "ns"), [("500us", 5e5), ("2ms", 2e6), ("1.5s", 1.5e9), ("7ns", 7.0), (None, None)]
)
def test_a_time_has_a_unit(text: str | None, ns: float | None) -> None:
    assert time_ns("--slo-p99", text) == ns


@pytest.mark.parametrize("text", ["", "0", "-1", "4X", "1e3", "nan"])
def test_other_texts_are_no_size_and_the_option_is_named(text: str) -> None:
    with pytest.raises(UsageError, match="--block: .* is not a size"):
        size_of("--block", text)


@pytest.mark.parametrize("text", ["", "5", "0ms", "-1ms", "1h", "1e3ms"])
def test_other_texts_are_no_time_and_the_option_is_named(text: str) -> None:
    with pytest.raises(UsageError, match="--slo-p99: .* is not a time"):
        time_ns("--slo-p99", text)


@pytest.mark.parametrize(
    ("text", "share"), [("2%", 0.02), ("0.5 %", 0.005), ("0.02", 0.02), ("100%", 1.0), ("0", 0.0)]
)
def test_a_share_is_in_percent_or_a_fraction(text: str, share: float) -> None:
    assert share_of("--fail-above", text) == share


@pytest.mark.parametrize("text", ["", "x", "-1%", "200%", "nan", "1", "1 %%"])
def test_other_texts_are_no_share_and_the_option_is_named(text: str) -> None:
    with pytest.raises(UsageError, match="--fail-above: .* is not a share"):
        share_of("--fail-above", text)


def test_seconds_may_have_a_unit() -> None:
    times = [seconds_of("--flight", text) for text in ("30s", "2m", "1.5", "500ms", "1h")]
    assert times == [30, 120, 1.5, 0.5, 3600]
    for text in ("", "0s", "-1s", "1d", "s", "nan"):
        with pytest.raises(UsageError, match="--flight: .* is not a time above 0"):
            seconds_of("--flight", text)
