"""Counts of the known programs on a simulated CPU with a fault."""

from collections.abc import Callable, Iterable
from functools import cache

from tests.topdown.slots.self_test.world import PROGRAMS, counts_of_kernel
from topdown.slots.counts import Counts
from topdown.slots.evaluation import evaluate, formulas_of
from topdown.slots.model import Model, load
from topdown.slots.self_test.program_counts import ProgramCounts, ProgramWork
from topdown.slots.self_test.verdicts import EventAssessment, EventVerdict, verdicts

CPU_GHZ = 3.0
Fault = Callable[[str, dict[str, float]], dict[str, float]]


def no_fault(_: str, counts: dict[str, float]) -> dict[str, float]:
    return counts


@cache
def sound_counts(key: str, kernel: str) -> dict[str, float]:
    return counts_of_kernel(load(key), kernel)


def read_program_counts(model: Model, fault: Fault = no_fault) -> list[ProgramCounts]:
    """The known programs on a made-up CPU whose counts a fault may change."""
    result = []
    for kernel, program in PROGRAMS.items():
        sound = sound_counts(model.key, kernel)
        counts = fault(kernel, dict(sound))
        metrics = "generic" in model.variants
        reading = Counts(counts, {}, {}, (), smt=False, ebs_mode=False, perf_metrics=metrics)
        tree = evaluate(model, reading)
        roots = {name: node for name, node in tree.nodes.items() if node.level == 1}
        work = ProgramWork(kernel, "", int(program.iterations), int(sound[model.cycles] / CPU_GHZ))
        options = formulas_of(model.key, smt=False, ebs_mode=False, perf_metrics=metrics).events
        made_of = frozenset().union(*(options[name] for name in roots)) & model.events.keys()
        result.append(ProgramCounts(work, counts, {}, roots, level_one_events=made_of))
    return result


def changed(events: Iterable[str], factor: float) -> Fault:
    """Counters that report a multiple of the true count."""
    names = tuple(events)

    def fault(_: str, counts: dict[str, float]) -> dict[str, float]:
        return counts | {name: counts[name] * factor for name in names}

    return fault


def broken(assessments: dict[str, EventAssessment]) -> set[str]:
    return {
        name
        for name, assessment in assessments.items()
        if assessment.verdict is EventVerdict.BROKEN
    }


@cache
def sound(key: str) -> dict[str, EventAssessment]:
    return verdicts(load(key), read_program_counts(load(key)))
