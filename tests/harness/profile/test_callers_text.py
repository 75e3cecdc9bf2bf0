"""The text of callers."""

from collections.abc import Callable

import click

from harness.profile.callers import callers_result
from harness.profile.callers_text import callers_lines
from tests.harness.profile.summaries import analysis
from topdown.stacks.profile import Function, FunctionKind, Profile

WORK = Function("work\x1b[31m", "/bin/it", FunctionKind.USER, (("w.c:7", 3),))


def test_callers_callees_and_lines_are_listed(profile_of: Callable[..., Profile]) -> None:
    profile = profile_of([(("main", WORK), 3), (("main", "workers"), 1)])
    result = callers_result(analysis(profile), "work", "run")
    lines = [click.unstyle(line) for line in callers_lines(result, 80)]
    assert lines == [
        "work\\x1b[31m (self 75.0 %, total 75.0 %) in /bin/it",
        "",
        "  share  callers",
        "100.0 %  main  /bin/it",
        "",
        "  share  callees",
        "         none",
        "",
        "samples  line",
        "      3  w.c:7",
        "",
        "other functions with this name: workers",
    ]
