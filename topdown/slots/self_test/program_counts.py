"""Counts of a known program: events, the work it reports, and level 1 of its tree."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from topdown.slots.counting.analysis import estimator_of
from topdown.slots.counting.counting_run import CountingRun
from topdown.slots.counting.estimation import Estimator
from topdown.slots.counting.plan import counted_names, formulas_for
from topdown.slots.counting.tree_estimate import TreeEstimate
from topdown.slots.evaluation import NodeValue


@dataclass(frozen=True, slots=True)
class ProgramWork:
    """The work that a known program reports: expected bottleneck, iterations and CPU time."""

    kernel: str
    expected: str
    iterations: int
    cpu_ns: int


@dataclass(frozen=True, slots=True)
class ProgramCounts:
    """The counts of one known program.

    ``counts`` are scaled to its duration, by the model's names; ``uncounted`` holds the reasons of
    missing counts. ``level_one`` are the nodes of the first level, computed from
    ``level_one_events`` in this counting mode.
    """

    work: ProgramWork
    counts: Mapping[str, float]
    uncounted: Mapping[str, str] = field(default_factory=dict)
    level_one: Mapping[str, NodeValue] = field(default_factory=dict)
    bottleneck: tuple[str, ...] = ()
    level_one_events: frozenset[str] = frozenset()


def program_counts_of(
    run: CountingRun, work: ProgramWork, bottleneck: tuple[str, ...]
) -> ProgramCounts:
    """Return the counts of a program's run."""
    subject = run.subject
    assert subject.model is not None
    estimator = estimator_of(run)
    names = counted_names(subject.model.key, perf_metrics=subject.mode.perf_metrics)
    counts = {
        name: totals[event]
        for name, event in names.items()
        if event in (totals := _totals_of(estimator, event))
    }
    tree = TreeEstimate(subject.model, subject.mode, run.plan, estimator, run.absent)
    roots = [name for name, node in subject.model.nodes.items() if node.level == 1]
    uncounted = {**run.plan.uncountable, **run.absent}
    node_events = formulas_for(subject.model, subject.mode).events
    used = frozenset().union(*(node_events[name] for name in roots)) & subject.model.events.keys()
    return ProgramCounts(work, counts, uncounted, tree.values(roots), bottleneck, used)


def _totals_of(estimator: Estimator, event: str) -> dict[str, float]:
    return estimator.totals(estimator.groups_of((event,)))
