"""Whether the findings of a run are true, and whether other load disturbed it."""

from collections.abc import Iterable

from harness.diagnose.findings.own_queue import TARGET
from harness.diagnose.result import DiagnoseResult, Finding
from harness.labs.diagnose.entries import Entry
from harness.labs.diagnose.quietness import MOST_BEHIND_OTHERS, behind_others
from harness.labs.diagnose.result import LabFinding, VariantRun
from harness.labs.diagnose.scoring import true_causes
from stallscope.documents import Amount, Record, Share


class KeptRun(Record, frozen=True, kw_only=True):
    """What the lab knows about a run beside its recording.

    ``beside_name``: the process beside the program. ``busy_before``: share of all CPUs in use
    before the run. ``why``: the reason why there is no diagnosis.
    """

    variant: str
    beside_name: str = ""
    rate_per_s: Amount | None = None
    overhead_share: Amount | None = None
    busy_before: Share | None = None
    why: str = ""


def judged_run(entry: Entry, kept: KeptRun, diagnosis: DiagnoseResult) -> VariantRun:
    """Return a run with the truth of its findings."""
    true = true_causes(entry, kept.variant)
    others = behind_others(diagnosis.cpu_users, (kept.beside_name, *OWN_NAMES))
    return VariantRun(
        variant=kept.variant,
        findings=tuple(lab_finding(row, true, kept.beside_name) for row in diagnosis.findings),
        rate_per_s=kept.rate_per_s,
        overhead_share=kept.overhead_share,
        busy_before=kept.busy_before,
        behind_others=others,
        disturbed=others >= MOST_BEHIND_OTHERS,
    )


# The server of the disk of known speed.
OWN_NAMES = ("stallscope-know",)


def lab_finding(
    finding: Finding, true: Iterable[str], beside_name: str, *, judge_machine: bool = False
) -> LabFinding:
    """Return a finding with its truth. The process beside the program must not be blamed.

    ``judge_machine``: the machine is part of the entry.
    """
    users = {place.name for place in finding.where[:1]}
    in_entry = {TARGET, beside_name} if beside_name else {TARGET}
    of_machine = not judge_machine and (
        finding.cause == "steal"
        or (finding.cause == "run-queue" and not in_entry.intersection(users))
    )
    return LabFinding(
        cause=finding.cause,
        cost_share=finding.cost_share,
        confidence=finding.confidence,
        largest_gain=finding.largest_gain,
        true=finding.cause in set(true),
        of_machine=of_machine,
        rating=finding.rating,
        modelled=finding.modelled,
    )
