"""Replayed causes go through the rules of the diagnosis."""

import pytest

from harness.labs.diagnose.entries import Entry
from harness.labs.diagnose.replayed import replayed_entries, replayed_result


@pytest.mark.parametrize("entry", replayed_entries(), ids=lambda entry: entry.name)
def test_a_replayed_cause_comes_first_and_its_look_alike_is_not_blamed(entry: Entry) -> None:
    result = replayed_result(entry)
    assert result.right == 1, result.runs
    assert result.look_alikes == 1
    assert result.blamed == 0, result.runs
