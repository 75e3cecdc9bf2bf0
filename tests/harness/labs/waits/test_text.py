"""A result of the waits lab on the terminal."""

from harness.labs.waits.text import lines
from tests.harness.labs.waits.test_result import lab_result


def test_the_text_gives_the_reason_of_a_wrong_cause() -> None:
    text = list(lines(lab_result(("thread", "victim")), 100))
    assert text[1].startswith("lock-hog")
    assert "wrong" in text[1]
    assert "lock-hog: thread hog must come first: thread victim" in text
    assert "0 right, 1 wrong or failed" in text


def test_the_text_of_a_right_row_has_no_reason() -> None:
    text = list(lines(lab_result(("thread", "hog")), 100))
    assert "1 right, 0 wrong or failed" in text
    assert not any("must come first" in line for line in text)
