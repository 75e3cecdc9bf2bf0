"""A result of the kernels lab on the terminal."""

from harness.labs.kernels.text import closing_lines, lines
from tests.harness.labs.kernels.results import result


def test_the_text_gives_the_reason_of_a_wrong_row() -> None:
    wrong = result("l2_bound")
    assert not wrong.passed
    text = "\n".join(lines(wrong, 80))
    assert "wrong" in text.splitlines()[1]
    assert "pointer-chase-dram: by test" in text
    assert "0 right, 1 wrong" in list(closing_lines(wrong, 80))
