"""The common parts of findings from pipeline slots."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from harness.diagnose.evidence import sampled, slot_evidence
from harness.diagnose.facts import Facts
from harness.diagnose.result import Finding, FindingEvidence, FindingPlace
from harness.diagnose.slots import SlotFacts, SlotNode
from stallscope.printable import printable
from topdown.stacks.profile import Function

MEASURED, MODELLED = 0.85, 0.6
LEAST_NODE = 0.15  # of the slots; about the vendors' thresholds
_HOT = 0.1  # of the CPU samples
_SHOWN_FUNCTIONS = 3
_SHOWN_SHARE = 0.01  # of the slots


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineCause:
    """The fields of a finding that differ between the causes inside a CPU.

    ``share``: of the slots. ``words``: nodes that are evidence. ``certainty``: factor of the
    confidence. ``evidence``: beside those of the nodes.
    """

    cause: str
    sentence: str
    share: float
    words: tuple[str, ...]
    remedies: tuple[str, ...]
    check: str
    certainty: float = 1.0
    evidence: tuple[FindingEvidence, ...] = ()


def stands_out(slots: SlotFacts, word: str, least: float = LEAST_NODE) -> bool:
    """Return whether a node has a value above its vendor's threshold, and above ``least``.

    The lower end of its interval counts. Without a published threshold, ``least`` decides alone.
    A modelled node must be marked by the model.
    """
    slot = slots.nodes.get(word)
    if slots.marked is not None and word not in slots.marked:
        return False
    if slot is None or slot.above is False:
        return False
    return (slot.share if slot.low is None else slot.low) >= least


def _places(hottest: Iterable[tuple[Function, float]]) -> Iterator[FindingPlace]:
    """Yield the functions with most CPU time, each with its hottest line if it is known."""
    rows = [function for function, share in hottest if share >= _HOT]
    for function in rows[:_SHOWN_FUNCTIONS]:
        yield FindingPlace(kind="function", name=printable(function.name))
        if function.lines:
            yield FindingPlace(kind="line", name=printable(function.lines[0][0]))


def pipeline_finding(facts: Facts, row: PipelineCause) -> Finding:
    """Return the finding of a cause inside the CPU, in the functions with most CPU time."""
    slots = facts.slots
    assert slots is not None
    modelled = slots.kind == "modelled"
    lost_ns, possible_share = row.share * facts.running_ns, row.share
    if modelled:  # of other runs, which may have spent less time in the kernel
        lost_ns = min(lost_ns, facts.state_ns("user"))
        possible_share += slots.share("not modelled")  # any cause may have it
    cost = facts.share(lost_ns)
    hottest = facts.cpu.hottest if facts.cpu is not None else ()
    functions = [(function.name, share) for function, share in hottest if share >= _HOT]
    present = (slots.nodes[word] for word in row.words if word in slots.nodes)
    nodes: list[SlotNode] = [slot for slot in present if slot.share >= _SHOWN_SHARE]
    return Finding(
        cause=row.cause,
        sentence=row.sentence[:-1] + " (modelled)." if modelled else row.sentence,
        cost_share=cost,
        largest_gain=facts.cpu_gain(min(1.0, possible_share)),
        confidence=row.certainty * (MODELLED if modelled else MEASURED),
        evidence=(
            *(slot_evidence(facts, slot) for slot in nodes),
            *(
                sampled(facts, f"CPU time in {name}", share)
                for name, share in functions[:_SHOWN_FUNCTIONS]
            ),
            *row.evidence,
        ),
        where=tuple(_places(hottest)),
        try_=row.remedies,
        check=row.check,
        modelled=modelled,
    )
