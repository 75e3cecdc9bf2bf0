import xml.etree.ElementTree as ET

from harness.bench.history.session import analyse
from harness.bench.history.text import github_lines, junit_text, lines
from tests.harness.bench.history.runs import slower_from, stored

HOSTILE = 'a"<b>\n::error::\x1b[31m%'


def hostile():
    runs = slower_from(25)
    return analyse(
        "d", [stored(HOSTILE, run.values[0].median, name=HOSTILE) for run in runs], (HOSTILE,)
    )


def test_the_text_ends_with_the_first_bad_run():
    assert (
        list(lines(analyse("d", slower_from(25), ()), 80))[-1] == "first bad run of Get sec/op: c25"
    )


def test_names_cannot_add_commands_elements_or_lines():
    for line in (*lines(hostile(), 80), *github_lines(hostile())):
        assert "\n" not in line
        assert "\x1b" not in line
    suite = ET.fromstring(junit_text(hostile()))[0]
    assert suite.get("failures") == "1"
    assert [case.tag for case in suite] == ["testcase", "testcase"]
