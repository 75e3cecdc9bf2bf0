"""The document of the diagnosis lab."""

from harness.labs.diagnose.result import DiagnoseLabResult
from harness.labs.diagnose.scoring import scored
from stallscope.documents import decode, encode
from tests.documents import assert_valid
from tests.harness.labs.diagnose.lab_runs import HOG, finding, run


def test_the_document_is_decoded_as_it_was_encoded_and_fits_its_schema() -> None:
    row = scored(HOG, [run("program", finding("user-lock"), rate=2.0)])
    result = DiagnoseLabResult(
        settings=None, duration_s=2.0, runs=1, entries=(row,), calibration=None
    )
    text = encode(result)
    assert decode(text.encode(), DiagnoseLabResult, "text") == result
    assert_valid("lab.diagnose", text)
    assert result.passed
    assert result.of_kind("live") == (row,)
