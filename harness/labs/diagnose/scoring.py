"""Scores of runs: first causes, look-alikes, calibration of confidence, and gains."""

from collections.abc import Iterable, Sequence
from statistics import median

from harness.labs.diagnose.entries import CONTROL, LIVE, Entry
from harness.labs.diagnose.result import Calibration, EntryResult, GainCheck, VariantRun

PROGRAM, LOOK_ALIKE, CURED = "program", "look-alike", "cured"
# Rates of two runs of one program differ by a few percent.
RATE_TOLERANCE = 0.05
HALF = 0.5


def true_causes(entry: Entry, variant: str) -> frozenset[str]:
    """Return the causes that a variant has."""
    if variant == PROGRAM:
        return frozenset((entry.cause, *entry.also))
    return frozenset(entry.look_alike_causes if variant == LOOK_ALIKE else entry.cured_causes)


def scored(entry: Entry, runs: Sequence[VariantRun]) -> EntryResult:
    """Return the result of an entry; a run without a diagnosis is wrong.

    Disturbed runs of a program count apart. Controls and look-alikes always count.
    """
    program = [run for run in runs if run.variant == PROGRAM]
    disturbed = [run for run in program if run.disturbed and entry.kind == LIVE]
    own = [run for run in program if run not in disturbed]
    look_alikes = [run for run in runs if run.variant == LOOK_ALIKE and not run.why]
    return EntryResult(
        name=entry.name,
        cause=entry.cause,
        kind=entry.kind,
        source=entry.source,
        distractor=entry.distractor,
        runs=tuple(runs),
        right=_right(entry, own),
        planned=len(own),
        blamed=sum(_is_blamed(entry, run, LOOK_ALIKE) for run in look_alikes),
        look_alikes=len(look_alikes),
        not_cured=sum(_is_blamed(entry, run, CURED) for run in runs if run.variant == CURED),
        gain=gain_check(entry, runs),
        reason=entry.reason,
        disturbed=len(disturbed),
        disturbed_right=_right(entry, disturbed),
    )


def _right(entry: Entry, runs: Iterable[VariantRun]) -> int:
    return sum(not run.why and run.first == entry.cause for run in runs)


def _is_blamed(entry: Entry, run: VariantRun, variant: str) -> bool:
    causes = {finding.cause for finding in run.judged}
    return entry.cause in causes and entry.cause not in true_causes(entry, variant)


def gain_check(entry: Entry, runs: Iterable[VariantRun]) -> GainCheck | None:
    """Return the predicted gain of the cause against that of the cured variant."""
    rows = [run for run in runs if not run.disturbed]
    predictions = [
        finding.largest_gain
        for run in rows
        if run.variant == PROGRAM
        for finding in run.judged[:1]
        if finding.cause == entry.cause
    ]
    if not predictions:
        return None
    predicted = None if None in predictions else median(row for row in predictions if row)
    rates = {
        variant: [row.rate_per_s for row in rows if row.variant == variant and row.rate_per_s]
        for variant in (PROGRAM, CURED)
    }
    if not rates[PROGRAM] or not rates[CURED]:
        return GainCheck(predicted=predicted, real=None, is_bound=None, is_half=None)
    real = median(rates[CURED]) / median(rates[PROGRAM])
    return GainCheck(
        predicted=predicted,
        real=real,
        is_bound=predicted is None or real <= predicted * (1 + RATE_TOLERANCE),
        is_half=predicted is not None and real >= HALF * predicted,
    )


def calibration(entries: Iterable[EntryResult], *, disturbed: bool = False) -> Calibration | None:
    """Return the Brier score of all judged findings; None without one.

    ``disturbed``: whether those of disturbed runs of programs count.
    """
    rows = [
        (finding.confidence, finding.true)
        for entry in entries
        if entry.kind in (LIVE, CONTROL)
        for run in entry.runs
        if disturbed or not run.disturbed
        for finding in run.judged
    ]
    if not rows:
        return None
    share = sum(true for _, true in rows) / len(rows)
    return Calibration(
        findings=len(rows),
        true=sum(true for _, true in rows),
        brier=brier_score(rows),
        constant_brier=share * (1 - share),
    )


def brier_score(rows: Sequence[tuple[float, bool]]) -> float:
    """Return the mean squared difference of confidence and truth (Brier 1950)."""
    return sum((confidence - true) ** 2 for confidence, true in rows) / len(rows)
