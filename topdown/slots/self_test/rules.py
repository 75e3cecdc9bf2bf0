"""Rules for events in known programs, read from a data file and matched to a model."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from stallscope.json_fields import Fields, read_fields
from topdown.slots.expressions import Expression, names, parse
from topdown.slots.formula_functions import FormulaFunction, compiled
from topdown.slots.model import Model

FILE = Path(__file__).with_name("rules.json")
TOLERANCE = 0.08


@dataclass(frozen=True, slots=True)
class ActivityRule:
    """An event must not be 0 in at least one of these programs."""

    event: str
    kernels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UpperBoundRule:
    """An event must not exceed a multiple of its base in any program."""

    event: str
    per: str  # "cycles", "instructions" or "slots"
    high: float


@dataclass(frozen=True, slots=True)
class ExpectedRateRule:
    """The known range of an event relative to its base in one program."""

    kernel: str
    event: str
    per: str  # "iterations", "cycles", "instructions", "slots" or "cpu_ns"
    low: float
    high: float
    why: str


@dataclass(frozen=True, slots=True)
class RelationRule:
    """A relation between events in every program; ``sign`` is ">=" or "=".

    ``tolerance`` is a share of the greater side, because multiplexed groups count different parts
    of a program.
    """

    text: str
    events: frozenset[str]
    left: FormulaFunction
    sign: str
    right: FormulaFunction
    tolerance: float


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules for a model's events."""

    activity: tuple[ActivityRule, ...]
    bounds: tuple[UpperBoundRule, ...]
    expected: tuple[ExpectedRateRule, ...]
    relations: tuple[RelationRule, ...]


@cache
def _fields() -> Fields:
    return read_fields(FILE)


def rules_of(model: Model) -> Rules:
    """Return the rules for the model's events."""
    fields = _fields()
    return Rules(
        tuple(_activity(fields, model)),
        tuple(_bounds(fields, model)),
        tuple(_expected(fields, model)),
        tuple(_relations(fields, model)),
    )


def _activity(fields: Fields, model: Model) -> Iterator[ActivityRule]:
    for rule in fields.objects("activity"):
        pattern = re.compile(rule.text("events"))
        for event in model.events:
            if pattern.fullmatch(event):
                yield ActivityRule(event, rule.texts("kernels"))


def _bounds(fields: Fields, model: Model) -> Iterator[UpperBoundRule]:
    """Yield the first matching upper bound of each event."""
    rules = [(re.compile(rule.text("events")), rule) for rule in fields.objects("bounds")]
    for event in model.events:
        for pattern, rule in rules:
            if pattern.fullmatch(event):
                yield UpperBoundRule(event, rule.text("per"), _number(rule, "high"))
                break


def _expected(fields: Fields, model: Model) -> Iterator[ExpectedRateRule]:
    for rule in fields.objects("expected"):
        for event in rule.texts("events"):
            if event in model.events:
                low, high = _number(rule, "low"), _number(rule, "high")
                kernel, per = rule.text("kernel"), rule.text("per")
                yield ExpectedRateRule(kernel, event, per, low, high, rule.text("why"))


def _relations(fields: Fields, model: Model) -> Iterator[RelationRule]:
    for rule in fields.objects("relations"):
        left, right = parse(rule.text("left")), parse(rule.text("right"))
        events = frozenset(names(left) | names(right))
        if events <= model.events.keys() and model.key not in rule.texts("unless"):
            yield _relation(rule, left, right, events)


def _relation(
    rule: Fields, left: Expression, right: Expression, events: frozenset[str]
) -> RelationRule:
    sign = rule.text("sign")
    text = f"{rule.text('left')} {sign} {rule.text('right')}"
    tolerance = _number(rule, "tolerance") if "tolerance" in rule.values else TOLERANCE
    return RelationRule(text, events, compiled(left), sign, compiled(right), tolerance)


def _number(fields: Fields, key: str) -> float:
    value = fields.values.get(key)
    assert isinstance(value, int | float), f"{fields.where}: {key}"
    return float(value)
