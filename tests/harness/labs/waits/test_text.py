"""A result of the waits lab on the terminal."""

import msgspec

from harness.labs.waits.result import ProgramVerdict
from harness.labs.waits.text import lines
from tests.harness.labs.waits.test_result import lab_result


def test_the_text_gives_the_reason_of_a_wrong_cause() -> None:
    text = list(lines(lab_result(("thread", "victim")), 100))
    assert text[1].startswith("lock-hog")
    assert "wrong" in text[1]
    assert "lock-hog: thread hog must come first: thread victim" in text
    assert "0 right, 1 wrong or failed" in text


def test_the_text_names_a_sign_that_is_missing_or_must_not_be_there() -> None:
    result = lab_result(("thread", "hog"))
    (row,) = result.rows
    missing = msgspec.structs.replace(
        row, expected_sign="convoy", sign_verdict=ProgramVerdict.WRONG
    )
    text = list(lines(msgspec.structs.replace(result, rows=(missing,)), 100))
    assert "lock-hog: a lock must have the sign convoy: no sign" in text
    blamed = msgspec.structs.replace(missing, look_alike=True, signs=("convoy",))
    text = list(lines(msgspec.structs.replace(result, rows=(blamed,)), 100))
    assert "lock-hog (look-alike): a lock must not have the sign convoy: convoy" in text


def test_the_text_of_a_right_row_has_no_reason() -> None:
    text = list(lines(lab_result(("thread", "hog")), 100))
    assert "1 right, 0 wrong or failed" in text
    assert not any("must come first" in line for line in text)
