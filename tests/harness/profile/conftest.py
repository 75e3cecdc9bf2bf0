"""A profile of two functions with known counts."""

from collections.abc import Callable

import pytest

from tests.harness.profile.counted_functions import slots
from topdown.slots.function_slots import SlotsByFunction
from topdown.stacks.profile import Profile
from topdown.stacks.sample_counts import ExcludedSamples


@pytest.fixture
def profile(profile_of: Callable[..., Profile]) -> Profile:
    return profile_of([(("main", "chase"), 100), (("main", "evil\x1b[31m"), 2)])


@pytest.fixture
def slots_of_functions(profile: Profile) -> SlotsByFunction:
    number = {function.name: index for index, function in enumerate(profile.functions)}
    chase, evil, main = (number[name] for name in ("chase", "evil\x1b[31m", "main"))
    return SlotsByFunction(
        ("cycles", "instructions"), "cycles", "spr", "Sapphire Rapids", 1.0, slots(-1, 102),
        (slots(chase, 100, 0.3), slots(evil, 2)), (slots(main, 102),), ExcludedSamples(1, 2, 3, 4), 0.5, 0.25,
    )  # fmt: skip
