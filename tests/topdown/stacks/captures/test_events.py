"""Which event of a capture is shown."""

import pytest

from stallscope.errors import UsageError
from topdown.stacks.folding.fold import FoldOptions, fold
from topdown.stacks.symbols.symbolizer import Symbolizer


def test_the_first_event_with_samples_is_shown_with_a_warning_about_others(shop, sources, made):
    attributes = [made.Attribute("a"), made.Attribute("cycles", type=0), made.Attribute("c")]
    stacks = ("plain main start", "outer main start", "main start")
    capture = shop(*stacks, attributes=attributes, events=[1, 1, 2])
    profile = fold(capture, Symbolizer(sources))
    assert (profile.source.event, profile.source.unit, profile.samples) == ("cycles", "events", 2)
    assert "c (1 samples)" in next(w for w in profile.warnings if w.code == "other-events").message
    assert fold(capture, Symbolizer(sources), FoldOptions(event="c")).samples == 1
    assert fold(capture, Symbolizer(sources), FoldOptions(event=0)).samples == 0
    with pytest.raises(UsageError, match="no event"):
        fold(capture, Symbolizer(sources), FoldOptions(event="none"))


def test_attributes_that_differ_only_in_stack_sampling_are_one_event(shop, sources, made):
    """As if stacks are copied for some processes only."""
    attributes = [made.Attribute(), made.Attribute(), made.Attribute(exclude_kernel=True)]
    attributes += [made.Attribute("branches", type=0, config=4)]
    stacks = ("plain main start", "outer main start", "main start", "main start", "plain start")
    capture = shop(*stacks, attributes=attributes, events=[1, 0, 2, 1, 3])
    profile = fold(capture, Symbolizer(sources))
    assert (profile.samples, int(profile.weight_value.sum())) == (3, 3000)
    message = next(w.message for w in profile.warnings if w.code == "other-events")
    assert "cpu-clock (1 samples), branches (1 samples)" in message
    assert fold(capture, Symbolizer(sources), FoldOptions(event="cpu-clock")).samples == 3
    assert fold(capture, Symbolizer(sources), FoldOptions(event=1)).samples == 3
    assert fold(capture, Symbolizer(sources), FoldOptions(event=2)).samples == 1
