"""Options of `bench scale`."""

from pathlib import Path

import pytest

from harness.bench.scale.options import (
    RunOptions,
    parse_counts,
    parse_fixed_rate,
    parse_recordings,
    scale_options,
)
from stallscope.errors import UsageError


def test_counts_are_sorted_and_distinct() -> None:
    assert parse_counts("8,1,2,2") == (1, 2, 8)


@pytest.mark.parametrize("text", ["", "0", "1,x", "-1", "99999999"])
def test_other_counts_are_refused(text) -> None:
    with pytest.raises(UsageError, match="--counts"):
        parse_counts(text)


def test_the_fixed_rate_is_a_number_or_the_first() -> None:
    assert parse_fixed_rate(None) is None
    assert parse_fixed_rate("first") == "first"
    assert parse_fixed_rate("2.5") == 2.5
    for text in ("nan", "0", "-1", "last", "inf"):
        with pytest.raises(UsageError, match="--fixed-lambda"):
            parse_fixed_rate(text)


def test_recordings_are_sorted_by_count() -> None:
    assert parse_recordings(("8=b", "1=a=c")) == ((1, Path("a=c")), (8, Path("b")))
    for text in ("b", "x=b", "0=b", "3="):
        with pytest.raises(UsageError, match="COUNT=RECORDING"):
            parse_recordings((text,))


def test_a_command_contains_the_placeholder() -> None:
    with pytest.raises(UsageError, match=r"\{n\}"):
        scale_options((), RunOptions(("sleep", "1"), (1, 2)))
    assert scale_options((), RunOptions(("work", "-t{n}"), (1,))).source is None


def test_without_counts_there_is_one_file() -> None:
    assert scale_options(("a.csv",), None).source == Path("a.csv")
    with pytest.raises(UsageError, match="expected one file"):
        scale_options(("a", "b"), None)
