"""The flame graph by change."""

import xml.etree.ElementTree as ET

import numpy as np

from harness.diff.flame import diff_flame, path_changes
from tests.profile_builder import ProfileBuilder

BEFORE = [(("main", "a"), 60), (("main", "b"), 40)]
AFTER = [(("main", "a"), 50), (("main", "b"), 40), (("main", "b", "new<1>"), 10)]


def _profiles():
    return ProfileBuilder().build(BEFORE), ProfileBuilder().build(AFTER)


def test_paths_are_matched_and_new_ones_marked() -> None:
    changes, is_new = path_changes(*_profiles())
    assert np.round(changes, 3).tolist() == [0, 0, -0.1, 0.1, 0.1]
    assert is_new.tolist() == [False, False, False, False, True]


def test_frames_are_red_blue_or_new() -> None:
    svg = diff_flame(*_profiles())
    classes = {
        (title.text.split(" (")[0].split(":")[0], element.get("class").split()[0])
        for group in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}g")
        for title, element in [(group[0], group[1])]
    }
    assert {("a", "shrank3"), ("b", "grew3"), ("main", "same"), ("new<1>", "new")} <= classes
    assert "not there before" in svg
    assert "grew by 3 points" in svg
