from harness.requests.text import left_out, lines, note_lines, share_cell, signed, summary
from tests.harness.requests.request_results import result_of


def test_the_table_marks_what_stands_out() -> None:
    text = "\n".join(lines(result_of("lock"), 100))
    assert "* lock" in text
    assert "lock: update < handle < main" in text
    assert "mutex 0x5000: " in text
    assert "above p99 (12)  p40 to p60 (240)" in text
    assert max(map(len, text.splitlines())) <= 100


def test_a_narrow_terminal_has_no_column_of_intervals() -> None:
    assert "interval" in "\n".join(lines(result_of("lock"), 120))
    narrow = "\n".join(lines(result_of("lock"), 70)).partition("*:")[0]
    assert "interval of 95 %" not in narrow


def test_few_requests_are_shown_without_tables() -> None:
    text = "\n".join(lines(result_of("disk", count=0), 80))
    assert "too few" in text
    assert "Mean per request" not in text


def test_differences_have_signs() -> None:
    assert signed(1500.0) == "+1.50 µs"
    assert signed(-2_000_000.0) == "-2 ms" or signed(-2_000_000.0) == "-2.00 ms"
    assert share_cell(-0.1) == "-10 %"
    assert share_cell(-0.001) == "0 %"


def test_what_is_left_out_is_printed() -> None:
    result = result_of("disk")
    assert not list(left_out(result))
    assert "1,200; p50 " in summary(result)
    assert all(line.startswith(("warning", " ")) for line in note_lines(result, 80))
