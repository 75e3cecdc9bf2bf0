"""Results that a recording keeps: their source and title."""

import pytest

from harness.recordings.results import RecordedResult, facts_text
from stallscope.documents import encode


class Example(RecordedResult, frozen=True, kw_only=True, tag="stallscope.io.example/1"):
    """A result without fields."""


@pytest.mark.parametrize(
    ("complete", "text"), [(True, "measured"), (False, "measured, interrupted")]
)
def test_an_interrupted_measurement_is_marked(complete: bool, text: str) -> None:
    assert Example(source="measured", complete=complete).source_text == text


def test_what_only_the_command_knows_is_not_stored() -> None:
    result = Example(source="modelled", complete=True)
    assert result.title == "stallscope.io.example"
    assert "report" not in encode(result)
    assert "settings" not in encode(result)


def test_facts_are_one_line() -> None:
    assert facts_text({"CPU": "a CPU", "kernel": "6.1"}) == "CPU: a CPU; kernel: 6.1"
    assert facts_text({}) == ""
