"""What events must do under known programs: rules of data, read and matched to a model."""

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
class Moves:
    """An event must count something in at least one of these programs."""

    event: str
    kernels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """An event must be at most so many times its base, in every program."""

    event: str
    per: str  # "cycles", "instructions" or "slots"
    most: float


@dataclass(frozen=True, slots=True)
class Expected:
    """What an event must be, of its base, in one program whose answer is known."""

    kernel: str
    event: str
    per: str  # "iterations", "cycles", "instructions", "slots" or "cpu_ns"
    least: float
    most: float
    why: str


@dataclass(frozen=True, slots=True)
class Relation:
    """What events must be to one another, in every program; ``sign`` is ">=" or "=".

    ``tolerance`` is a share of the greater side: groups that took turns saw different parts of a
    program.
    """

    text: str
    events: frozenset[str]
    left: FormulaFunction
    sign: str
    right: FormulaFunction
    tolerance: float


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules that are of a model's events."""

    moves: tuple[Moves, ...]
    bounds: tuple[Bound, ...]
    expected: tuple[Expected, ...]
    relations: tuple[Relation, ...]


@cache
def _fields() -> Fields:
    return read_fields(FILE)


def rules_of(model: Model) -> Rules:
    """Return the rules for the model's events."""
    fields = _fields()
    return Rules(
        tuple(_moves(fields, model)),
        tuple(_bounds(fields, model)),
        tuple(_expected(fields, model)),
        tuple(_relations(fields, model)),
    )


def _moves(fields: Fields, model: Model) -> Iterator[Moves]:
    for rule in fields.objects("moves"):
        pattern = re.compile(rule.text("events"))
        for event in model.events:
            if pattern.fullmatch(event):
                yield Moves(event, rule.texts("kernels"))


def _bounds(fields: Fields, model: Model) -> Iterator[Bound]:
    """Yield for each event the first bound whose pattern it is of."""
    rules = [(re.compile(rule.text("events")), rule) for rule in fields.objects("bounds")]
    for event in model.events:
        for pattern, rule in rules:
            if pattern.fullmatch(event):
                yield Bound(event, rule.text("per"), _number(rule, "most"))
                break


def _expected(fields: Fields, model: Model) -> Iterator[Expected]:
    for rule in fields.objects("expected"):
        for event in rule.texts("events"):
            if event in model.events:
                least, most = _number(rule, "least"), _number(rule, "most")
                kernel, per = rule.text("kernel"), rule.text("per")
                yield Expected(kernel, event, per, least, most, rule.text("why"))


def _relations(fields: Fields, model: Model) -> Iterator[Relation]:
    for rule in fields.objects("relations"):
        left, right = parse(rule.text("left")), parse(rule.text("right"))
        events = frozenset(names(left) | names(right))
        if events <= model.events.keys() and model.key not in rule.texts("unless"):
            yield _relation(rule, left, right, events)


def _relation(
    rule: Fields, left: Expression, right: Expression, events: frozenset[str]
) -> Relation:
    sign = rule.text("sign")
    text = f"{rule.text('left')} {sign} {rule.text('right')}"
    tolerance = _number(rule, "tolerance") if "tolerance" in rule.values else TOLERANCE
    return Relation(text, events, compiled(left), sign, compiled(right), tolerance)


def _number(fields: Fields, key: str) -> float:
    value = fields.values.get(key)
    assert isinstance(value, int | float), f"{fields.where}: {key}"
    return float(value)
