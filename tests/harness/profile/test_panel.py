"""The static part of the flame page: figures, notices, tables."""

import math
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from harness.profile.panel import figures, functions_table, notices, source_line, threads_table
from harness.profile.result import stacks_result
from topdown.stacks.profile import Profile
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.ranking import rank

ProfileMaker = Callable[..., Profile]


@pytest.fixture
def profile(profile_of: ProfileMaker) -> Profile:
    return profile_of([(("main", "f"), 50), (("main",), 30)], title="work", duration_s=2.0)


def leads(profile: Profile) -> list[str]:
    stacks = stacks_result(profile.stack_shares, None)
    return [notice.lead for notice in notices(profile, stacks)]


def test_a_good_profile_has_no_notices(profile: Profile) -> None:
    assert leads(replace(profile, warnings=())) == []


@pytest.mark.parametrize(
    ("changes", "lead"),
    [
        ({"samples": 0}, "No samples."),
        ({"lost": 20}, "20 samples lost"),
        ({"truncated_share": 0.5}, "50.0 % of the stacks are truncated."),
        ({"unknown_share": 0.5}, "50.0 % of the time is in code without symbols."),
        ({"warnings": (ProfileWarning("x", "first"),)}, "Note:"),
        ({"warnings": (ProfileWarning("x", "first"), ProfileWarning("y", "second"))}, "Notes"),
    ],
)
def test_every_defect_of_the_numbers_is_a_notice(
    profile: Profile, changes: dict[str, object], lead: str
) -> None:
    changed = replace(replace(profile, warnings=()), **changes)  # type: ignore[arg-type]
    assert any(text.startswith(lead) for text in leads(changed))


def test_unknown_shares_are_notable_and_not_zero(profile: Profile) -> None:
    unknown = replace(profile, truncated_share=math.nan)
    figure = next(item for item in figures(unknown, 80) if item.term == "Truncated stacks")
    assert (figure.text, figure.style) == ("not known", "of-note")


def test_the_source_has_its_event_and_rate(profile: Profile) -> None:
    source = replace(profile.source, event="cycles", frequency_hz=1999, scope="user")
    line = source_line(replace(profile, source=source))
    assert line.event == "cycles"
    assert line.parts[1:] == ("1,999 Hz", "user")


def test_tables_state_how_many_rows_there_are(profile: Profile) -> None:
    ranking = rank(profile)
    table, hint = functions_table(profile, ranking)
    assert hint == "2 functions, by self"
    assert table.count("<tr>") == 3
    assert threads_table(profile, ranking)[1] == "1 thread"
