"""The expected time of the stages lab, and its directory."""

from dataclasses import replace
from pathlib import Path

from harness.labs.stages.options import StagesOptions
from harness.labs.stages.session import expected_s

OPTIONS = StagesOptions("codec", Path("lab"), pairs=3, profile_s=5.0)


def test_the_expected_time_includes_profiles_and_replays() -> None:
    rounds_s = OPTIONS.rounds_s
    bare = replace(OPTIONS, profile_s=0.0, replay=False)
    assert expected_s(bare) == rounds_s
    assert expected_s(replace(bare, profile_s=5.0)) == rounds_s + 20.0
    assert expected_s(OPTIONS) > rounds_s + 20.0
    assert expected_s(replace(bare, pairs=6)) == 2 * rounds_s
