"""Which events and terms of a draft its formulas use."""

import json

import pytest

from tests.topdown.slots.generate.drafts import ENTRY
from topdown.slots.generate.draft import Draft, document, renamed_text


@pytest.fixture
def draft() -> Draft:
    return Draft(
        "a table", "BSD-3-Clause", "fraction", ("INST", "CYCLES"),
        terms={"slots": "4 * width", "width": "A + 0", "unused": "5 * B"},
        nodes={"front": {"formula": "C / slots if smt_on else D"}},
        variants={"ebs": {"nodes": {"front": "E / slots"}}},
    )  # fmt: skip


def test_events_are_the_names_that_are_no_term_node_or_flag(draft: Draft) -> None:
    assert draft.events_named() == {"A", "B", "C", "D", "E"}


def test_terms_that_only_unused_terms_need_are_dropped(draft: Draft) -> None:
    draft.drop_unused_terms()
    assert set(draft.terms) == {"slots", "width"}


def test_a_renamed_formula_has_no_old_name() -> None:
    assert renamed_text("(a) + b", {"a": "x.y", "b": "z"}) == "x.y + z"
    with pytest.raises(KeyError):
        renamed_text("a + b", {"a": "x"})


def test_the_file_has_a_line_per_node_and_term(draft: Draft) -> None:
    text = document("test", ENTRY, draft)
    assert '  "slots": "4 * width",\n' in text
    assert json.loads(text)["cpu"] == "test"
