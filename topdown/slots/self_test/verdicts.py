"""Which events work, which are broken, and what could not be told, from known programs' counts.

Rules are held first to cycles and instructions, by which others are judged: where one of those
is broken, what is a share of it is not held to that. A relation that fails does not say which of
its events is wrong: blamed are those that no answer known beforehand vouches for.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from topdown.slots.model import Model
from topdown.slots.self_test.program_counts import ProgramCounts
from topdown.slots.self_test.rules import Bound, Expected, Relation, Rules, rules_of

NOTHING_MUCH = 5e-3  # events a nanosecond below which a relation is of noise
_SUM_TOLERANCE = 0.06  # of the whole


class EventVerdict(StrEnum):
    """What the programs say of an event."""

    WORKS = "works"
    BROKEN = "broken"
    UNPROVEN = "unproven"
    UNCOUNTED = "uncounted"


@dataclass(frozen=True, slots=True)
class EventAssessment:
    """One event's verdict with its reason, and the checks that it passed."""

    verdict: EventVerdict
    reason: str
    passed: tuple[str, ...] = ()


@dataclass(slots=True)
class _Case:
    """What is held against each event so far."""

    failed: dict[str, str] = field(default_factory=dict)
    passed: dict[str, list[str]] = field(default_factory=dict)
    vouched: set[str] = field(default_factory=set)  # by an answer known beforehand

    def hold(self, event: str, text: str, *, holds: bool) -> None:
        if holds:
            self.passed.setdefault(event, []).append(text)
        else:
            self.failed.setdefault(event, text)


def verdicts(model: Model, observations: Sequence[ProgramCounts]) -> dict[str, EventAssessment]:
    """Return the verdict on each of a model's events."""
    rules, case = rules_of(model), _Case()
    bases = {model.cycles, model.instructions}
    _hold_moves(rules, observations, case)
    for only_bases in (True, False):
        chosen = [each for each in rules.expected if (each.event in bases) == only_bases]
        _hold_expected(model, chosen, observations, case)
    _hold_bounds(model, rules.bounds, observations, case)
    _hold_relations(rules.relations, observations, case)
    _hold_sums(model, observations, case)
    return {name: _verdict(name, observations, case) for name in model.events}


def _hold_moves(rules: Rules, observations: Sequence[ProgramCounts], case: _Case) -> None:
    for rule in rules.moves:
        seen = [
            each.counts[rule.event]
            for each in observations
            if each.work.kernel in rule.kernels and rule.event in each.counts
        ]
        if seen:
            programs = " and ".join(rule.kernels)
            moved = any(count > 0 for count in seen)
            text = f"counts in {programs}" if moved else f"counts nothing in {programs}"
            case.hold(rule.event, text, holds=moved)


def _base(model: Model, per: str, each: ProgramCounts, case: _Case) -> float | None:
    """Return what an event is divided by; None where it is not there, or broken."""
    if per == "iterations":
        return float(each.work.iterations)
    if per == "cpu_ns":
        return float(each.work.cpu_ns)
    name = model.instructions if per == "instructions" else model.cycles
    if name in case.failed or not each.counts.get(name):
        return None
    width = (model.slots_per_cycle or 8) if per == "slots" else 1
    return each.counts[name] * width


def _hold_expected(
    model: Model, rules: Sequence[Expected], observations: Sequence[ProgramCounts], case: _Case
) -> None:
    for rule in rules:
        for each in observations:
            if each.work.kernel != rule.kernel or rule.event not in each.counts:
                continue
            base = _base(model, rule.per, each, case)
            if not base:
                continue
            share = each.counts[rule.event] / base
            holds = rule.least <= share <= rule.most
            found = f"{share:.3g} of {rule.per} in {rule.kernel}"
            if not holds:
                found += f", expected {rule.least:g} to {rule.most:g}: {rule.why}"
            case.hold(rule.event, found, holds=holds)
            if holds:
                case.vouched.add(rule.event)
    case.vouched.difference_update(case.failed)


def _hold_bounds(
    model: Model, rules: Sequence[Bound], observations: Sequence[ProgramCounts], case: _Case
) -> None:
    for rule in rules:
        for each in observations:
            base = _base(model, rule.per, each, case)
            count = each.counts.get(rule.event)
            if base is None or count is None or count <= rule.most * base:
                continue
            share = count / base
            text = f"{share:.3g} of {rule.per} in {each.work.kernel}, at most {rule.most:g} can be"
            case.hold(rule.event, text, holds=False)


def _hold_relations(
    relations: Sequence[Relation], observations: Sequence[ProgramCounts], case: _Case
) -> None:
    failures: list[tuple[Relation, str]] = []
    for relation in relations:
        outcomes = [
            outcome for each in observations if (outcome := _outcome(relation, each)) is not None
        ]
        wrong = [text for holds, text in outcomes if not holds]
        if wrong:
            failures.append((relation, wrong[0]))
        elif outcomes:
            for event in relation.events:
                case.hold(event, relation.text, holds=True)
                if relation.sign == "=":
                    case.vouched.add(event)
    case.vouched.difference_update(case.failed)
    for relation, text in sorted(failures, key=lambda each: len(each[0].events)):
        _blame(relation.events, text, case)


def _outcome(relation: Relation, each: ProgramCounts) -> tuple[bool, str] | None:
    """Return whether a relation holds in one program, in words; None where it says nothing."""
    if not relation.events <= each.counts.keys():
        return None
    left, right = relation.left(each.counts), relation.right(each.counts)
    largest = max(left, right)
    if largest <= NOTHING_MUCH * each.work.cpu_ns:
        return None
    slack = relation.tolerance * largest
    holds = left >= right - slack if relation.sign == ">=" else abs(left - right) <= slack
    kernel = each.work.kernel
    return holds, f"{relation.text} fails in {kernel}: {left:.4g} and {right:.4g}"


def _blame(events: frozenset[str], text: str, case: _Case) -> None:
    """Hold a failed relation against those of its events that nothing vouches for."""
    if any(event in case.failed for event in events):
        return  # explained by one that is known to be wrong
    for event in events - case.vouched or events:
        case.hold(event, text, holds=False)


def _hold_sums(model: Model, observations: Sequence[ProgramCounts], case: _Case) -> None:
    """Hold the tree's first level to its whole, where its values are of one whole."""
    if model.slots_per_cycle is None:
        return
    for each in observations:
        values = [node.value for node in each.level_one.values()]
        known = [value for value in values if value is not None]
        if len(known) < len(values) or not known:
            continue
        total = sum(known) / model.whole
        lowest = min(known) / model.whole
        if abs(total - 1) > _SUM_TOLERANCE or lowest < -_SUM_TOLERANCE:
            text = (
                f"level 1 adds up to {total * 100:.0f} % in {each.work.kernel}, "
                f"its least is {lowest * 100:.0f} %"
            )
            _blame(each.level_one_events, text, case)


def _verdict(name: str, observations: Sequence[ProgramCounts], case: _Case) -> EventAssessment:
    passed = tuple(dict.fromkeys(case.passed.get(name, ())))
    if not any(name in each.counts for each in observations):
        reasons = [each.uncounted[name] for each in observations if name in each.uncounted]
        return EventAssessment(EventVerdict.UNCOUNTED, reasons[0] if reasons else "was not counted")
    if name in case.failed:
        return EventAssessment(EventVerdict.BROKEN, case.failed[name], passed)
    if passed:
        return EventAssessment(EventVerdict.WORKS, f"{len(passed)} checks", passed)
    moved = any(each.counts.get(name, 0) > 0 for each in observations)
    why = "counts, and no program's answer for it is known" if moved else "no program moves it"
    return EventAssessment(EventVerdict.UNPROVEN, why)


def tally(found: Mapping[str, EventAssessment]) -> Iterator[tuple[EventVerdict, int]]:
    """Yield how many events have each verdict."""
    for verdict in EventVerdict:
        yield verdict, sum(each.verdict is verdict for each in found.values())
