"""The callers, callees and source lines of a function in a profile."""

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from harness.profile.result import LineSamples
from stallscope.documents import Amount, Count, Document, Record
from stallscope.errors import UsageError
from topdown.stacks.profile import FunctionKind, Profile
from topdown.stacks.profile_tree import node_levels, subtree_sums

if TYPE_CHECKING:
    from harness.profile.analysis import Analysis

_ROOT = "(outermost)"


class RelatedFunction(Record, frozen=True, kw_only=True):
    """A function that calls another or is called by it; ``share``: of the weight of that one."""

    name: str
    module: str
    share: Amount


class CallersResult(Document, frozen=True, kw_only=True, tag="stallscope.callers/1"):
    """A function's callers, callees and source lines, the heaviest first.

    ``self_share`` and ``total_share`` are shares of all samples of the profile. For a recursive
    function, callers are those of the outermost call, and callees those of the innermost one.
    """

    function: str
    module: str
    kind: str
    self_share: Amount
    total_share: Amount
    samples: Count  # in the function itself
    callers: tuple[RelatedFunction, ...]
    callees: tuple[RelatedFunction, ...]
    chain: tuple[str, ...]  # the heaviest way to it, outermost first
    lines: tuple[LineSamples, ...]
    similar: tuple[str, ...]  # other functions whose names contain the requested text
    recording: str


def callers_result(analysis: "Analysis", function: str, recording: str) -> CallersResult:
    """Return the callers of the heaviest function of that name, or with it in its name.

    Raises UsageError if there is none.
    """
    if not function:
        raise UsageError(
            "the name of the function is empty", "name a function or a part of its name"
        )
    profile, whole = analysis.profile, analysis.ranking.value
    rows = [(row, profile.functions[row.index].name) for row in analysis.ranking.functions]
    rows.sort(key=lambda pair: -pair[0].total_value)
    exact = [row for row, name in rows if name == function]
    partial = [(row, name) for row, name in rows if function in name and name != function]
    if not exact and not partial:
        raise UsageError(
            f"no function of the recording has {function!r} in its name",
            f"stallscope report {recording} --weight cpu lists the functions",
        )
    row = (exact or [partial[0][0]])[0]
    shown = profile.functions[row.index]
    callers, callees, chain = _relatives(profile, row.index)
    names = dict.fromkeys(name for _, name in partial if name != shown.name)
    return CallersResult(
        function=shown.name,
        module=shown.module,
        kind=shown.kind.name.lower(),
        self_share=row.self_value / whole,
        total_share=row.total_value / whole,
        samples=row.self_samples,
        callers=_related(profile, callers, row.total_value),
        callees=_related(profile, callees, row.total_value),
        chain=chain,
        lines=tuple(LineSamples(line, samples) for line, samples in shown.lines),
        similar=tuple(names)[:20],
        recording=recording,
    )


def _relatives(
    profile: Profile, function: int
) -> tuple[Counter[int], Counter[int], tuple[str, ...]]:
    """Return the weights of callers and callees by function, and the heaviest chain to it."""
    parent, of_node = profile.node_parent, profile.node_function
    own = np.zeros(len(parent), np.int64)
    np.add.at(own, profile.weight_node, profile.weight_value)
    total = subtree_sums(node_levels(parent), parent, own)
    callers: Counter[int] = Counter()
    callees: Counter[int] = Counter()
    heaviest, most = 0, -1
    for node in np.flatnonzero(of_node == function).tolist():
        above = int(parent[node])
        if not _within(profile, above, function):
            callers[int(of_node[above])] += int(total[node])
            if total[node] > most:
                heaviest, most = node, int(total[node])
    for node in np.flatnonzero(of_node[np.maximum(parent, 0)] == function).tolist():
        if parent[node] >= 0 and of_node[node] != function:
            callees[int(of_node[node])] += int(total[node])
    chain = []
    while heaviest > 0:
        chain.append(profile.functions[int(of_node[heaviest])].name)
        heaviest = int(parent[heaviest])
    return callers, callees, tuple(reversed(chain))


def _within(profile: Profile, node: int, function: int) -> bool:
    """Return whether a node or one above it is of the function."""
    while node > 0:
        if profile.node_function[node] == function:
            return True
        node = int(profile.node_parent[node])
    return False


def _related(profile: Profile, weights: Counter[int], whole: int) -> tuple[RelatedFunction, ...]:
    rows = []
    for number, weight in weights.most_common():
        function = profile.functions[number]
        is_root = function.kind == FunctionKind.ROOT
        rows.append(
            RelatedFunction(
                name=_ROOT if is_root else function.name,
                module="" if is_root else function.module,
                share=weight / whole if whole else 0.0,
            )
        )
    return tuple(rows)
