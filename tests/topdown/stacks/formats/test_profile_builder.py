"""Profiles built from stacks."""

import math

import pytest

from topdown.stacks.formats.profile_builder import ProfileBuilder, kind_of
from topdown.stacks.profile import FunctionKind, SampleSource, Thread

SOURCE = SampleSource("cycles", "measured", "events", None, None, "user+kernel")


def test_equal_stacks_are_one_node_and_shares_are_by_weight() -> None:
    builder = ProfileBuilder()
    main = builder.function("main", "/x", FunctionKind.USER)
    unknown = builder.function("[unknown]", "", FunctionKind.UNKNOWN)
    cut = builder.function("[truncated: x]", "", FunctionKind.TRUNCATED)
    thread = builder.thread(Thread(1, 1, "a", "b"))
    assert builder.function("main", "/x", FunctionKind.USER) == main
    builder.add([main], thread, samples=1, value=10)
    builder.add([main], thread, samples=1, value=10)
    builder.add([main, unknown], thread, samples=1, value=20)
    builder.add([cut, main], thread, samples=1, value=40)
    profile = builder.build(SOURCE, "x")
    assert profile.samples == 4
    assert profile.weight_value.tolist() == [20, 20, 40]
    assert (profile.unknown_share, profile.truncated_share) == (0.25, 0.5)


def test_a_profile_without_samples_has_no_shares() -> None:
    profile = ProfileBuilder().build(SOURCE, "x")
    assert profile.samples == 0
    assert math.isnan(profile.unknown_share)


@pytest.mark.parametrize(
    ("name", "module", "kind"),
    [
        ("f", "/x", FunctionKind.USER),
        ("f", "[kernel]", FunctionKind.KERNEL),
        ("f", "/usr/lib/debug/vmlinux", FunctionKind.KERNEL),
        ("[unknown]", "[kernel]", FunctionKind.UNKNOWN),
        ("[truncated: no frame pointers]", "", FunctionKind.TRUNCATED),
    ],
)
def test_kinds_follow_from_names(name: str, module: str, kind: FunctionKind) -> None:
    assert kind_of(name, module) == kind
