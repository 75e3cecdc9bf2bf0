"""The document of `stallscope data`."""

from pathlib import Path

from harness.data.result import DataResult
from harness.data.session import data_of_recording
from stallscope.documents import decode, encode
from tests.documents import assert_valid


def test_the_document_is_valid_and_survives_decoding(capture: Path) -> None:
    result = data_of_recording(capture)
    assert_valid("data", encode(result))
    assert decode(encode(result).encode(), DataResult, "data") == result
