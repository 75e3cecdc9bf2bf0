"""Assessment of events from the counts of known programs: working, broken or unproven.

Rules are applied first to cycles and instructions, which are the bases of other rules: if a base is
broken, rules relative to it are skipped. A failed relation does not identify the wrong event;
events that no known result confirms are considered broken.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from topdown.slots.model import Model
from topdown.slots.self_test.program_counts import ProgramCounts
from topdown.slots.self_test.rules import (
    ExpectedRateRule,
    RelationRule,
    Rules,
    UpperBoundRule,
    rules_of,
)

MIN_RATE_PER_NS = 5e-3  # below, relations are dominated by noise
_SUM_TOLERANCE = 0.06  # of the whole


class EventVerdict(StrEnum):
    """The verdict on an event."""

    WORKS = "works"
    BROKEN = "broken"
    UNPROVEN = "unproven"
    UNCOUNTED = "uncounted"


@dataclass(frozen=True, slots=True)
class EventAssessment:
    """The verdict on an event with its reason, and the checks that it passed."""

    verdict: EventVerdict
    reason: str
    passed: tuple[str, ...] = ()


@dataclass(slots=True)
class _Evidence:
    """The failed and passed checks of each event."""

    failed: dict[str, str] = field(default_factory=dict)
    passed: dict[str, list[str]] = field(default_factory=dict)
    confirmed: set[str] = field(default_factory=set)  # by a known result

    def add(self, event: str, text: str, *, holds: bool) -> None:
        if holds:
            self.passed.setdefault(event, []).append(text)
        else:
            self.failed.setdefault(event, text)


def verdicts(model: Model, programs: Sequence[ProgramCounts]) -> dict[str, EventAssessment]:
    """Return the verdict on each of a model's events."""
    rules, evidence = rules_of(model), _Evidence()
    bases = {model.cycles, model.instructions}
    _check_activity(rules, programs, evidence)
    for only_bases in (True, False):
        chosen = [rule for rule in rules.expected if (rule.event in bases) == only_bases]
        _check_expected_rates(model, chosen, programs, evidence)
    _check_bounds(model, rules.bounds, programs, evidence)
    _check_relations(rules.relations, programs, evidence)
    _check_sums(model, programs, evidence)
    return {name: _verdict(name, programs, evidence) for name in model.events}


def _check_activity(rules: Rules, programs: Sequence[ProgramCounts], evidence: _Evidence) -> None:
    for rule in rules.activity:
        counts = [
            program.counts[rule.event]
            for program in programs
            if program.work.kernel in rule.kernels and rule.event in program.counts
        ]
        if counts:
            kernels = " and ".join(rule.kernels)
            moved = any(count > 0 for count in counts)
            text = f"counts in {kernels}" if moved else f"counts 0 in {kernels}"
            evidence.add(rule.event, text, holds=moved)


def _base(model: Model, per: str, program: ProgramCounts, evidence: _Evidence) -> float | None:
    """Return the base of an event, or None if it is missing or broken."""
    if per == "iterations":
        return float(program.work.iterations)
    if per == "cpu_ns":
        return float(program.work.cpu_ns)
    name = model.instructions if per == "instructions" else model.cycles
    if name in evidence.failed or not program.counts.get(name):
        return None
    width = (model.slots_per_cycle or 8) if per == "slots" else 1
    return program.counts[name] * width


def _check_expected_rates(
    model: Model,
    rules: Sequence[ExpectedRateRule],
    programs: Sequence[ProgramCounts],
    evidence: _Evidence,
) -> None:
    for rule in rules:
        for program in programs:
            if program.work.kernel != rule.kernel or rule.event not in program.counts:
                continue
            base = _base(model, rule.per, program, evidence)
            if not base:
                continue
            share = program.counts[rule.event] / base
            holds = rule.low <= share <= rule.high
            text = f"{share:.3g} of {rule.per} in {rule.kernel}"
            if not holds:
                text += f", expected {rule.low:g} to {rule.high:g}: {rule.why}"
            evidence.add(rule.event, text, holds=holds)
            if holds:
                evidence.confirmed.add(rule.event)
    evidence.confirmed.difference_update(evidence.failed)


def _check_bounds(
    model: Model,
    rules: Sequence[UpperBoundRule],
    programs: Sequence[ProgramCounts],
    evidence: _Evidence,
) -> None:
    for rule in rules:
        for program in programs:
            base = _base(model, rule.per, program, evidence)
            count = program.counts.get(rule.event)
            if base is None or count is None or count <= rule.high * base:
                continue
            share = count / base
            text = (
                f"{share:.3g} of {rule.per} in {program.work.kernel}, the maximum is {rule.high:g}"
            )
            evidence.add(rule.event, text, holds=False)


def _check_relations(
    relations: Sequence[RelationRule], programs: Sequence[ProgramCounts], evidence: _Evidence
) -> None:
    failures: list[tuple[RelationRule, str]] = []
    for relation in relations:
        results = [
            result
            for program in programs
            if (result := _check_relation(relation, program)) is not None
        ]
        failed = [text for holds, text in results if not holds]
        if failed:
            failures.append((relation, failed[0]))
        elif results:
            for event in relation.events:
                evidence.add(event, relation.text, holds=True)
                if relation.sign == "=":
                    evidence.confirmed.add(event)
    evidence.confirmed.difference_update(evidence.failed)
    for relation, text in sorted(failures, key=lambda failure: len(failure[0].events)):
        _add_failure(relation.events, text, evidence)


def _check_relation(relation: RelationRule, program: ProgramCounts) -> tuple[bool, str] | None:
    """Return whether a relation holds in a program, with a text, or None without evidence."""
    if not relation.events <= program.counts.keys():
        return None
    left, right = relation.left(program.counts), relation.right(program.counts)
    largest = max(left, right)
    if largest <= MIN_RATE_PER_NS * program.work.cpu_ns:
        return None
    slack = relation.tolerance * largest
    holds = left >= right - slack if relation.sign == ">=" else abs(left - right) <= slack
    kernel = program.work.kernel
    return holds, f"{relation.text} fails in {kernel}: {left:.4g} and {right:.4g}"


def _add_failure(events: frozenset[str], text: str, evidence: _Evidence) -> None:
    """Add a failed relation to its unconfirmed events, or to all if all are confirmed."""
    if any(event in evidence.failed for event in events):
        return  # an event that is known to be broken explains it
    for event in events - evidence.confirmed or events:
        evidence.add(event, text, holds=False)


def _check_sums(model: Model, programs: Sequence[ProgramCounts], evidence: _Evidence) -> None:
    """Check that the first level adds up to the whole, if its values are shares of one whole."""
    if model.slots_per_cycle is None:
        return
    for program in programs:
        values = [node.value for node in program.level_one.values()]
        numbers = [value for value in values if value is not None]
        if len(numbers) < len(values) or not numbers:
            continue
        total = sum(numbers) / model.whole
        lowest = min(numbers) / model.whole
        if abs(total - 1) > _SUM_TOLERANCE or lowest < -_SUM_TOLERANCE:
            text = (
                f"level 1 adds up to {total * 100:.0f} % in {program.work.kernel}, "
                f"with a minimum of {lowest * 100:.0f} %"
            )
            _add_failure(program.level_one_events, text, evidence)


def _verdict(name: str, programs: Sequence[ProgramCounts], evidence: _Evidence) -> EventAssessment:
    passed = tuple(dict.fromkeys(evidence.passed.get(name, ())))
    if not any(name in program.counts for program in programs):
        reasons = [program.uncounted[name] for program in programs if name in program.uncounted]
        return EventAssessment(EventVerdict.UNCOUNTED, reasons[0] if reasons else "was not counted")
    if name in evidence.failed:
        return EventAssessment(EventVerdict.BROKEN, evidence.failed[name], passed)
    if passed:
        return EventAssessment(EventVerdict.WORKS, f"{len(passed)} checks", passed)
    active = any(program.counts.get(name, 0) > 0 for program in programs)
    why = "counts, without a known result in any program" if active else "0 in every program"
    return EventAssessment(EventVerdict.UNPROVEN, why)


def tally(events: Mapping[str, EventAssessment]) -> Iterator[tuple[EventVerdict, int]]:
    """Yield the number of events per verdict."""
    for verdict in EventVerdict:
        yield verdict, sum(event.verdict is verdict for event in events.values())
