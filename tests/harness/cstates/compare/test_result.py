"""The document of a comparison of sleep-state settings."""

from cstates.comparison.candidates import BASELINE, CONTROL
from harness.cstates.compare.result import CStatesCompareResult
from stallscope.documents import decode, encode
from tests.harness.cstates.compare.results import result_of


def test_a_decoded_result_equals_the_encoded_result() -> None:
    result = result_of({BASELINE: 2, CONTROL: 2, "fast": 1}, others_s=0.1)
    assert decode(encode(result), CStatesCompareResult, "compare.json") == result


def test_the_control_has_no_verdict_and_the_others_have_corrected_p_values() -> None:
    result = result_of({BASELINE: 2, CONTROL: 2, "fast": 1})
    assert result.control == CONTROL
    baseline, control, fast = (setting.metrics["wall_s"] for setting in result.settings)
    assert baseline.p is None
    assert (control.p_holm, control.standing) == (None, None)
    assert fast.p_holm is not None
    assert fast.p_holm < 0.05
    assert len(fast.values) == 10
