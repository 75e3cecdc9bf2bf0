"""Callers and callees of a function in profiles with known counts."""

from collections.abc import Callable

import pytest

from harness.profile.callers import CallersResult, callers_result
from stallscope.documents import encode
from stallscope.errors import UsageError
from tests.documents import assert_valid
from tests.harness.profile.summaries import analysis
from topdown.stacks.profile import Function, FunctionKind, Profile

WORK = Function("work", "/bin/it", FunctionKind.USER, (("w.c:7", 3), ("w.c:9", 1)))


def callers(profile: Profile, name: str) -> CallersResult:
    return callers_result(analysis(profile), name, "run")


def test_callers_and_callees_have_shares_of_the_function(
    profile_of: Callable[..., Profile],
) -> None:
    rows = [(("main", WORK), 4), (("main", WORK, "copy"), 2), (("other", WORK), 2), (("main",), 8)]
    result = callers(profile_of(rows), "work")
    assert_valid("callers", encode(result))
    assert (result.self_share, result.total_share, result.samples) == (0.375, 0.5, 6)
    assert [(row.name, row.share) for row in result.callers] == [("main", 0.75), ("other", 0.25)]
    assert [(row.name, row.share) for row in result.callees] == [("copy", 0.25)]
    assert result.chain == ("main", "work")
    assert [(line.line, line.samples) for line in result.lines] == [("w.c:7", 3), ("w.c:9", 1)]


def test_a_recursive_function_counts_each_stack_once(profile_of: Callable[..., Profile]) -> None:
    profile = profile_of([(("main", "fib", "fib", "fib", "add"), 5), (("main", "fib"), 5)])
    result = callers(profile, "fib")
    assert [(row.name, row.share) for row in result.callers] == [("main", 1.0)]
    assert [(row.name, row.share) for row in result.callees] == [("add", 0.5)]


def test_the_outermost_function_has_no_caller(profile_of: Callable[..., Profile]) -> None:
    result = callers(profile_of([(("main", "work"), 1)]), "main")
    assert [(row.name, row.module) for row in result.callers] == [("(outermost)", "")]


def test_a_part_of_a_name_means_the_heaviest_match(profile_of: Callable[..., Profile]) -> None:
    profile = profile_of([(("ns::light",), 1), (("ns::heavy",), 9)])
    result = callers(profile, "ns::")
    assert (result.function, result.similar) == ("ns::heavy", ("ns::light",))
    with pytest.raises(UsageError, match="no function of the recording has 'absent'"):
        callers(profile, "absent")
