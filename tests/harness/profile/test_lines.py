"""Source lines for editors: file, line, self, total and cause."""

from collections.abc import Callable

from msgspec.structs import replace

from harness.profile.lines import lines_of_profile
from harness.profile.result import profile_result
from stallscope.documents import encode
from tests.documents import assert_valid
from tests.harness.profile.summaries import PATHS, analysis
from topdown.slots.function_slots import SlotsByFunction
from topdown.stacks.profile import Function, FunctionKind, Profile, SourceLineCounts

PYTHON = Function("handle", "app.py", FunctionKind.PYTHON, (("app.py:3", 2),))
LINES = (
    SourceLineCounts("/src/a.c:7", "chase", "/bin/it", 90, 100),
    SourceLineCounts("C:/odd:name:9", "main", "/bin/it", 0, 102),
)


def test_lines_have_file_line_self_and_total(profile_of: Callable[..., Profile]) -> None:
    profile = replace(profile_of([(("main", PYTHON, "chase"), 102)]), lines=LINES)
    first, second, third = lines_of_profile(analysis(profile))
    assert (first.file, first.line, first.function) == ("/src/a.c", 7, "chase")
    assert (first.self_samples, first.total_samples) == (90, 100)
    assert (first.self_share, first.total_share) == (90 / 102, 100 / 102)
    assert first.cause is None
    assert (third.file, third.line) == ("C:/odd:name", 9)
    assert (second.file, second.line, second.total_samples) == ("app.py", 3, None)
    assert_valid("profile", encode(profile_result(analysis(profile), **PATHS)))


def test_the_cause_is_the_slot_node_that_dominates_the_function(
    profile: Profile, slots_of_functions: SlotsByFunction
) -> None:
    from harness.profile.counted import counted_result

    measured = replace(analysis(replace(profile, lines=LINES)), slots=slots_of_functions)
    counted = counted_result(slots_of_functions, profile.functions)
    expected = {row.name: row.dominating for row in counted.functions}
    assert lines_of_profile(measured)[0].cause == (expected["chase"] or None)


def test_a_profile_without_lines_has_none(profile: Profile) -> None:
    assert lines_of_profile(analysis(profile)) == ()
