"""The diagnosis of the known programs: right causes, look-alikes, calibration and gains.

Each entry of `stallscope lab diagnose` runs ten times with its look-alike and its cured variant.
Runs that other load queued for a CPU are disturbed and have separate rows. Takes about an hour.
STALLSCOPE_DIAGNOSE_SERIES names directories of `stallscope lab diagnose --output`, with ":" between
them: their recordings are diagnosed again instead.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks.cases import Case, ours
from harness.labs.diagnose.entries import CONTROL, LIVE, REPLAYED, Entry, entries
from harness.labs.diagnose.kept import kept_runs
from harness.labs.diagnose.measurement import measure_entry
from harness.labs.diagnose.replayed import replayed_entries, replayed_result
from harness.labs.diagnose.result import EntryResult, VariantRun
from harness.labs.diagnose.scoring import calibration, scored

RUNS = 10
DURATION_S = 2.0
LEAST_RIGHT = 0.9
MOST_BRIER = 0.1
LEAST_HALVES = 0.75
COMMAND = "stallscope diagnose"
ALL = "all entries"


def run() -> list[Case]:
    """Measure every entry."""
    named = os.environ.get("STALLSCOPE_DIAGNOSE_SERIES", "")
    series = [Path(name) for name in named.split(":") if name]
    results = [_measured(entry, series) for entry in entries()]
    replayed = [replayed_result(entry) for entry in replayed_entries()]
    cases = [case for result in (*results, *replayed) for case in _cases(result)]
    return [*cases, *_sums(results)]


def _measured(entry: Entry, series: list[Path]) -> EntryResult:
    runs: list[VariantRun] = []
    for directory in series:
        runs += kept_runs(directory, entry)
    for _ in range(0 if series else RUNS):
        runs += measure_entry(entry, DURATION_S)
    result = scored(entry, runs)
    _print_result(result)
    return result


def _print_result(result: EntryResult) -> None:
    """Print an entry with its wrong causes, because the whole run takes long."""
    print(result.name, f"{result.right} of {result.planned} right", result.gain, flush=True)
    for run in result.runs:
        if run.why or any(not finding.true for finding in run.judged) or run.disturbed:
            causes = (
                f"{finding.cause} {finding.cost_share:.2f}{'' if finding.true else ' (false)'}"
                for finding in run.judged
            )
            print(" ", run.variant, "disturbed" if run.disturbed else "", run.why, *causes)


def _cases(result: EntryResult) -> Iterator[Case]:
    name = f"{result.name}, {REPLAYED}" if result.kind == REPLAYED else result.name
    metric = "nothing stands out" if result.kind == CONTROL else "expected cause first"
    least = 1.0 if result.kind in (CONTROL, REPLAYED) else LEAST_RIGHT
    yield _share(name, f"{metric}, share of runs", result.right, result.planned, least)
    if result.disturbed:
        yield Case(
            name=name,
            metric="expected cause first in runs disturbed by other load, share",
            ours_command=COMMAND,
            ours=(result.disturbed_right / result.disturbed,),
            exact=True,
            notes=f"{result.disturbed_right} of {result.disturbed} runs, not in the row above",
        )
    if result.look_alikes:
        right = result.look_alikes - result.blamed
        yield _share(name, "look-alike not blamed, share of runs", right, result.look_alikes, 1.0)
    gain = result.gain
    if gain is not None and gain.real is not None:
        predicted = "no bound" if gain.predicted is None else f"{gain.predicted:.2f}"
        yield Case(
            name=name,
            metric="gain of the cured variant, times",
            ours_command=COMMAND,
            ours=(gain.real,),
            notes=f"predicted at most {predicted}",
        )


def _share(name: str, metric: str, number: int, runs: int, least: float) -> Case:
    return Case(
        name=name,
        metric=metric,
        ours_command=COMMAND,
        bar=(ours(at_least=least),),
        ours=(number / max(1, runs),),
        exact=True,
        notes=f"{number} of {runs} runs",
    )


def _sums(results: list[EntryResult]) -> Iterator[Case]:
    score = calibration(results)
    if score is not None:
        yield Case(
            name=ALL,
            metric="Brier score of the confidence",
            ours_command=COMMAND,
            bar=(ours(at_most=min(MOST_BRIER, score.constant_brier)),),
            ours=(score.brier,),
            exact=True,
            notes=f"{score.findings} findings; best constant {score.constant_brier:.3f}",
        )
    checks = [row.gain for row in results if row.kind == LIVE and row.gain is not None]
    known = [gain for gain in checks if gain.real is not None]
    if known:
        bounds = sum(bool(gain.is_bound) for gain in known)
        halves = sum(bool(gain.is_half) for gain in known)
        yield _share(ALL, "predicted gain is an upper bound, share", bounds, len(known), 1.0)
        yield _share(ALL, "real gain at least half, share", halves, len(known), LEAST_HALVES)
