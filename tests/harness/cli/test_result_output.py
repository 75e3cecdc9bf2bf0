"""The output of a command: its result as JSON or as text."""

import json

import pytest

from harness.cli.result_output import print_result
from stallscope.documents import Document


class Answer(Document, frozen=True, kw_only=True, tag="stallscope.answer/1"):
    """A document."""

    value: int


def lines(result: Answer, width: int) -> list[str]:
    return [f"the answer is {result.value}", "-" * min(width, 3)]


def test_a_result_is_printed_as_text_or_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(Answer(value=42), lines, as_json=False)
    assert capsys.readouterr().out == "the answer is 42\n---\n"
    print_result(Answer(value=42), lines, as_json=True)
    assert json.loads(capsys.readouterr().out) == {"schema": "stallscope.answer/1", "value": 42}
