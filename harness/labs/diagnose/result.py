"""The result of `stallscope lab diagnose`: expected and found causes of every entry."""

from cstates.fingerprint import Fingerprint
from stallscope.documents import Amount, Count, Document, Record, Share


class LabFinding(Record, frozen=True, kw_only=True):
    """A finding of a run.

    ``true``: whether the program has this cause. ``of_machine``: it is a cause outside of the
    entry, such as other processes on its CPUs, and is not judged. ``rating``: confidence of the
    rule before its calibration. ``modelled``: it follows from a model of the slots.
    """

    cause: str
    cost_share: Share
    confidence: Share
    largest_gain: Amount | None
    true: bool
    of_machine: bool = False
    rating: Share | None = None
    modelled: bool = False


class VariantRun(Record, frozen=True, kw_only=True):
    """A diagnosis of a variant: "program", "look-alike" or "cured".

    ``rate_per_s``: units of work per second and thread; None if the program does not report it.
    ``why``: the reason why there is no diagnosis. ``busy_before``: share of all CPUs in use before
    the run. ``behind_others``: share of the wall time of working threads in which they were queued
    for a CPU behind processes outside of the entry; ``disturbed`` if that stands out itself.
    """

    variant: str
    findings: tuple[LabFinding, ...]
    rate_per_s: Amount | None
    overhead_share: Amount | None = None
    why: str = ""
    busy_before: Share | None = None
    behind_others: Amount | None = None
    disturbed: bool = False

    @property
    def judged(self) -> tuple[LabFinding, ...]:
        """Return the findings about the program."""
        return tuple(finding for finding in self.findings if not finding.of_machine)

    @property
    def first(self) -> str:
        """Return the first cause of the program; "" if nothing stands out."""
        return self.judged[0].cause if self.judged else ""


class GainCheck(Record, frozen=True, kw_only=True):
    """Predicted and real gain: medians over the runs.

    ``predicted`` is None if the prediction has no bound, ``real`` without rates.
    """

    predicted: Amount | None
    real: Amount | None
    is_bound: bool | None
    is_half: bool | None


class EntryResult(Record, frozen=True, kw_only=True):
    """An entry with its runs. ``right``: runs whose first cause is the expected one.

    ``planned``: runs of the program that count for it, ``disturbed``: those that do not, because
    other load queued the program, of which ``disturbed_right`` were right. ``blamed``: runs of the
    look-alike with the cause of the program, ``not_cured``: of the cured variant; other load does
    not excuse them.
    """

    name: str
    cause: str
    kind: str
    source: str
    distractor: str
    runs: tuple[VariantRun, ...]
    right: Count
    planned: Count
    blamed: Count
    look_alikes: Count
    not_cured: Count
    gain: GainCheck | None
    reason: str = ""
    disturbed: Count = 0
    disturbed_right: Count = 0

    @property
    def is_right(self) -> bool:
        """Return whether all runs are right and the look-alike was not blamed.

        Runs that were all disturbed show nothing.
        """
        return self.right == self.planned and not self.blamed and not self.is_unknown

    @property
    def is_unknown(self) -> bool:
        """Return whether all runs of the program were disturbed."""
        return bool(self.disturbed) and not self.planned


class Calibration(Record, frozen=True, kw_only=True):
    """Confidence against truth, over all findings of live entries and controls.

    ``constant_brier``: of the best constant confidence, which is the share of true findings.
    """

    findings: Count
    true: Count
    brier: Amount
    constant_brier: Amount


class DiagnoseLabResult(Document, frozen=True, kw_only=True, tag="stallscope.lab.diagnose/1"):
    """All entries that were run; replayed ones are no proof on hardware."""

    settings: Fingerprint | None  # of the machine; None: not read
    duration_s: Amount
    runs: Count
    entries: tuple[EntryResult, ...]
    calibration: Calibration | None
    # With the findings of disturbed runs as well.
    calibration_of_all: Calibration | None = None

    def of_kind(self, *kinds: str) -> tuple[EntryResult, ...]:
        """Return the entries of some kinds."""
        return tuple(entry for entry in self.entries if entry.kind in kinds)

    @property
    def passed(self) -> bool:
        """Return whether every entry is right."""
        return all(entry.is_right for entry in self.entries)
