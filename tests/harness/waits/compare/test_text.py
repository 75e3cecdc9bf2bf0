from harness.waits.compare.text import lines
from tests.harness.waits.compare.test_result import FOUR, ONE, comparison


def test_the_text_begins_with_the_growth() -> None:
    text = list(lines(comparison(ONE + " R100-101", FOUR), 100))
    assert text[0].startswith("Lock grew most: from 9.9 % to 59.4 %")
    assert any("one: 1 thread, 101 ms of wall time" in line for line in text)
    assert any("+49.5 points" in line for line in text)


def test_two_equal_recordings_have_no_growth() -> None:
    text = "\n".join(lines(comparison(ONE, ONE), 100))
    assert "No state grew by 1.0 % of the wall time." in text
