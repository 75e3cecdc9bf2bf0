"""Numbers in strangers' JSON: finite or refused, missing is None."""

import json

import pytest

from stallscope.errors import RecordingError
from stallscope.json_fields import Fields


def fields(text: str) -> Fields:
    return Fields(json.loads(text), "a file")


def test_numbers_that_are_there_or_missing() -> None:
    found = fields('{"a": 1, "b": 2.5, "c": null, "d": [1, 2.5], "e": []}')
    assert (found.maybe_number("a"), found.maybe_number("b")) == (1.0, 2.5)
    assert (found.maybe_number("c"), found.maybe_number("x")) == (None, None)
    assert (found.numbers("d"), found.numbers("e"), found.numbers("x")) == ((1.0, 2.5), (), ())


@pytest.mark.parametrize("value", ["true", '"1"', "NaN", "Infinity", "[1]", "{}"])
def test_what_is_no_finite_number_is_refused(value: str) -> None:
    with pytest.raises(RecordingError, match="a file: a should be"):
        fields(f'{{"a": {value}}}').maybe_number("a")
    with pytest.raises(RecordingError, match="a file: a should be"):
        fields(f'{{"a": [{value}]}}').numbers("a")


def test_a_whole_number_beyond_any_float_is_refused() -> None:
    with pytest.raises(RecordingError, match="a should be"):
        fields(f'{{"a": {"9" * 400}}}').maybe_number("a")
