"""Rates of programs."""

import pytest

from harness.labs.diagnose.measurement import ProgramReport
from stallscope.documents import decode


def test_a_rate_is_that_of_a_thread_and_of_the_named_threads_if_any() -> None:
    text = (
        b'{"iterations":300,"elapsed_ns":2000000000,"parameters":{"threads":3,"path":"/x"},'
        b'"threads":[{"name":"hog","iterations":100},{"name":"victim","iterations":80},'
        b'{"name":"victim","iterations":120}]}'
    )
    report = decode(text, ProgramReport, "report")
    assert report.rate_per_s("") == pytest.approx(50)
    assert report.rate_per_s("victim") == pytest.approx(50)
    assert report.rate_per_s("hog") == pytest.approx(50)
