"""The page of `bench scale`."""

from harness.bench.scale.panel import scale_page
from tests.harness.bench.scale.results import BESIDE, usl_result


def test_the_page_has_picture_tables_and_no_inline_style() -> None:
    page = scale_page(*usl_result(cpus=4, beside=BESIDE))
    for part in ("<svg", "Universal scalability law", "CPU time per operation", "Recorded beside"):
        assert part in page
    assert "style=" not in page


def test_a_missing_law_is_named() -> None:
    assert "not fitted, too few counts" in scale_page(*usl_result((1, 2)))
