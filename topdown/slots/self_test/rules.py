"""Rules for events in known programs, read from a data file and matched to a model."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from stallscope.documents import Record, read_document
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


class _ActivityRecord(Record, frozen=True):
    events: str  # a pattern
    kernels: tuple[str, ...]


class _UpperBoundRecord(Record, frozen=True):
    events: str  # a pattern
    per: str
    high: float


class _ExpectedRateRecord(Record, frozen=True):
    kernel: str
    events: tuple[str, ...]
    per: str
    low: float
    high: float
    why: str


class _RelationRecord(Record, frozen=True, kw_only=True):
    left: str
    sign: str
    right: str
    unless: tuple[str, ...] = ()  # models
    tolerance: float = TOLERANCE


class RulesFile(Record, frozen=True):
    """The rules of all models, as the data file has them."""

    activity: tuple[_ActivityRecord, ...]
    bounds: tuple[_UpperBoundRecord, ...]
    expected: tuple[_ExpectedRateRecord, ...]
    relations: tuple[_RelationRecord, ...]


@cache
def read_rules() -> RulesFile:
    """Return the rules of all models."""
    return read_document(FILE, RulesFile)


def rules_of(model: Model) -> Rules:
    """Return the rules for the model's events."""
    rules = read_rules()
    return Rules(
        tuple(_activity(rules, model)),
        tuple(_bounds(rules, model)),
        tuple(_expected(rules, model)),
        tuple(_relations(rules, model)),
    )


def _activity(rules: RulesFile, model: Model) -> Iterator[ActivityRule]:
    for rule in rules.activity:
        pattern = re.compile(rule.events)
        for event in model.events:
            if pattern.fullmatch(event):
                yield ActivityRule(event, rule.kernels)


def _bounds(rules: RulesFile, model: Model) -> Iterator[UpperBoundRule]:
    """Yield the first matching upper bound of each event."""
    patterns = [(re.compile(rule.events), rule) for rule in rules.bounds]
    for event in model.events:
        for pattern, rule in patterns:
            if pattern.fullmatch(event):
                yield UpperBoundRule(event, rule.per, rule.high)
                break


def _expected(rules: RulesFile, model: Model) -> Iterator[ExpectedRateRule]:
    for rule in rules.expected:
        for event in rule.events:
            if event in model.events:
                yield ExpectedRateRule(rule.kernel, event, rule.per, rule.low, rule.high, rule.why)


def _relations(rules: RulesFile, model: Model) -> Iterator[RelationRule]:
    for rule in rules.relations:
        left, right = parse(rule.left), parse(rule.right)
        events = frozenset(names(left) | names(right))
        if events <= model.events.keys() and model.key not in rule.unless:
            yield _relation(rule, left, right, events)


def _relation(
    rule: _RelationRecord, left: Expression, right: Expression, events: frozenset[str]
) -> RelationRule:
    text = f"{rule.left} {rule.sign} {rule.right}"
    return RelationRule(text, events, compiled(left), rule.sign, compiled(right), rule.tolerance)
