"""The rules' file: nothing in it is misspelled, and every model is held to something."""

import re

import pytest

from topdown.slots.expressions import names, parse
from topdown.slots.model import keys, load
from topdown.slots.self_test.rules import read_rules, rules_of
from topdown.slots.self_test.session import KERNELS

EVENTS = frozenset(event for key in keys() for event in load(key).events)
RULES = read_rules()


def test_every_event_and_program_that_rules_name_is_there() -> None:
    for rule in RULES.expected:
        assert rule.kernel in KERNELS
        assert set(rule.events) <= EVENTS, rule.events
        assert rule.per in ("iterations", "cycles", "instructions", "slots", "cpu_ns")
        assert rule.why
    for rule in RULES.activity:
        assert set(rule.kernels) <= set(KERNELS)
    for rule in RULES.relations:
        events = names(parse(rule.left)) | names(parse(rule.right))
        assert events <= EVENTS, events - EVENTS
        assert any(events <= load(key).events.keys() for key in keys()), rule
        assert rule.sign in (">=", "=")


def test_every_pattern_is_of_some_event() -> None:
    for rule in (*RULES.activity, *RULES.bounds):
        pattern = re.compile(rule.events)
        assert any(pattern.fullmatch(event) for event in EVENTS), rule.events


@pytest.mark.parametrize("key", keys())
def test_every_model_has_rules_with_known_results(key: str) -> None:
    model, rules = load(key), rules_of(load(key))
    assert {bound.event for bound in rules.bounds} == set(model.events)
    known = {rule.event for rule in rules.expected}
    assert {model.cycles, model.instructions} <= known
    assert len({rule.event for rule in rules.activity}) >= 8
    assert all(0 < rule.low < rule.high for rule in rules.expected)
