from harness.bench.history.session import analyse
from harness.bench.history.text import github_lines, lines
from tests.harness.bench.history.runs import hostile_result, slower_from


def test_the_text_ends_with_the_first_bad_run():
    assert (
        list(lines(analyse("d", slower_from(25), ()), 80))[-1] == "first bad run of Get sec/op: c25"
    )


def test_names_cannot_add_commands_or_lines():
    for line in (*lines(hostile_result(), 80), *github_lines(hostile_result())):
        assert "\n" not in line
        assert "\x1b" not in line
