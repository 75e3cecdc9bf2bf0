"""Lines of JSON beside the samples: formats, counts, texts."""

import pytest

from topdown.stacks.json_lines import DamagedLineError, check_format, clean, count_of, text_of


def test_another_major_version_of_a_format_is_damaged() -> None:
    check_format({"format": "stallscope.a/1.7"}, "stallscope.a", "1")
    with pytest.raises(DamagedLineError):
        check_format({"format": "stallscope.a/2.0"}, "stallscope.a", "1")


@pytest.mark.parametrize("value", [-1, True, "1", None, 1 << 62])
def test_a_value_that_is_no_count_is_damaged(value: object) -> None:
    with pytest.raises(DamagedLineError, match="expected a count"):
        count_of({"t": value}, "t")


def test_a_missing_text_is_damaged() -> None:
    with pytest.raises(DamagedLineError, match="expected a string"):
        text_of({}, "name")


def test_lone_surrogates_are_replaced() -> None:
    assert clean("a\ud800b") == "a\ufffdb"
