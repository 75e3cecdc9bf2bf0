"""The sections on a terminal have the published layout."""

from harness.bench.matrix.sections import sections
from harness.bench.matrix.text import section_lines
from tests.harness.bench.matrix.test_sections import matrix_result


def test_rows_follow_their_heading() -> None:
    assert list(section_lines(sections(matrix_result(), "box")))[:4] == [
        "cluster:loop dataset:small",
        "kv-c·1   300ns ± 3%",
        "kv-c·4   300ns ± 3%",
        "",
    ]
