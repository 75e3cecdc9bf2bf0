"""`harness.fleet.missing_text`."""

import pytest

from harness.fleet.missing_text import missing_lines, warning_lines
from harness.fleet.result import MissingPart

pytest.importorskip("pyarrow", reason="needs the extra fleet: pyarrow")


def test_missing_parts_are_escaped_and_those_beyond_the_limit_counted() -> None:
    rows = [MissingPart(part=f"p{number}\x1b", error="damaged") for number in range(25)]
    text = list(missing_lines(rows, 80))
    assert len(text) == 21
    assert "\x1b" not in text[0]
    assert text[-1] == "missing: 5 more"


def test_warnings_are_escaped_and_those_beyond_the_limit_counted() -> None:
    text = list(warning_lines([f"host: {number}\x1b" for number in range(23)], 80))
    assert len(text) == 21
    assert "\x1b" not in text[0]
    assert text[-1] == "warning: 3 more"
