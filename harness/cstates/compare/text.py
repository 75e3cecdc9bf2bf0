"""A comparison of settings for people and as JSON."""

from collections.abc import Iterator
from statistics import median

from cstates.comparison.candidates import CONTROL
from cstates.comparison.differences import Comparison, Difference, Standing
from harness.cli.table import columns
from harness.cli.terminal import printable, wrapped
from harness.cstates.compare.session import CompareOutcome
from harness.cstates.compare.subject import CPU, P50, P99, SERVER_CPU, WALL
from harness.pin.documents import plan_document
from stallscope.statistics.estimate import CONFIDENCE_OF_FIVE, Estimate, median_estimate
from stallscope.statistics.multiple_tests import ALPHA, min_group_size

SCHEMA = "stallscope.cstates.compare/1"
HEADS = ("Setting", "n", "Median", "Interval", "Delta", "p", "p (Holm)")
ENTRY_HEADS = ("Setting", "Entries in each run, median (least to most)")
_METRICS = {
    WALL: ("wall time, ms", 1e3),
    CPU: ("CPU time, ms", 1e3),
    P50: ("latency p50, us", 1.0),
    P99: ("latency p99, us", 1.0),
    SERVER_CPU: ("CPU time of the server, ms", 1e3),
}


def lines(outcome: CompareOutcome, room: int) -> Iterator[str]:
    """Yield a table a metric, the entries, and what is to be concluded."""
    found = outcome.comparison
    what = "the loader and server" if outcome.request.load else outcome.request.words[0]
    yield from wrapped(
        f"{printable(what)} under {len(found.settings)} settings in shuffled order, every other "
        f"round reversed; rounds: {outcome.rounds}. All was put back after each run.",
        room,
    )
    for metric in found.metrics:
        yield ""
        yield f"{_METRICS[metric][0]}:"
        rows = [_cells(found, setting, metric) for setting in found.settings]
        yield from (f"  {line}" for line in columns([HEADS, *rows]))
    yield ""
    rows = [(printable(setting), _entries_text(found, setting)) for setting in found.settings]
    yield from (f"  {line}" for line in columns([ENTRY_HEADS, *rows]))
    yield ""
    yield from wrapped(
        f"Others, be it programs or the host, had {_percent(found.others_share)} of these CPUs' "
        "time meanwhile.",
        room,
        "  ",
    )
    for text in conclusions(outcome):
        yield from wrapped(printable(text), room, "  ")
    for text in notes(outcome):
        yield from wrapped(printable(f"Note: {text}"), room, "  ")


def conclusions(outcome: CompareOutcome) -> Iterator[str]:
    """Yield what the rounds show: what gains, what costs, or that nothing is to be gained."""
    found = outcome.comparison
    if not found.differences or found.too_few:
        yield _too_few_text(outcome)
        return
    yield from _unsteady_texts(found)
    for each in found.differences:
        if each.standing not in (Standing.CHANCE, Standing.UNSTEADY):
            yield _difference_text(each)
    if not found.gains and any(not each.unsteady for each in found.differences):
        yield _nothing_text(outcome)


def _nothing_text(outcome: CompareOutcome) -> str:
    """Return why nothing is to be gained, or that others kept the machine from showing it."""
    found = outcome.comparison
    if found.disturbed:
        return (
            "No verdict on gains: the machine was too busy. Others had "
            f"{_percent(found.others_share)} of these CPUs' time, and what sleeping costs hardly "
            "shows where CPUs are kept awake. Try again with less else running."
        )
    if found.never_idled:
        return "Nothing to gain: the CPUs hardly slept as it is, so that sleeping cost nothing."
    return f"Nothing to gain that {outcome.rounds} rounds show: no setting took less."


def _percent(share: float | None) -> str:
    return "an unknown share" if share is None else f"{share * 100:.1f} %"


def _too_few_text(outcome: CompareOutcome) -> str:
    found = outcome.comparison
    others, metrics = len(found.settings) - 2, len(found.metrics)
    tried = f"{others} setting{'s' if others > 1 else ''} and {metrics} metrics"
    return (
        f"No verdict: {_rounds(outcome)} too few for {tried}; it takes "
        f"{min_group_size(others * metrics)}."
    )


def _rounds(outcome: CompareOutcome) -> str:
    return "1 round is" if outcome.rounds == 1 else f"{outcome.rounds} rounds are"


def _unsteady_texts(found: Comparison) -> Iterator[str]:
    """Yield the metrics that have no verdict, for "as it is" was not the same as itself."""
    for each in found.controls:
        if each.p is not None and each.p < ALPHA:
            share = abs(each.share or 0.0) * 100
            yield (
                f"No verdict on {_name(each)}: as it is differs from itself by {share:.1f} % "
                f"(p {_p(each.p)}), so something else changed between runs. Try again with more "
                "rounds, or with less else running."
            )


def _name(each: Difference) -> str:
    return _METRICS[each.metric][0].partition(",")[0]


def _difference_text(each: Difference) -> str:
    share = abs(each.share or 0.0) * 100
    less = "less" if (each.share or 0.0) < 0 else "more"
    what = f"{share:.1f} % {less} {_name(each)}"
    text = f"{each.setting}: {what} (p {_p(each.p_corrected)} after Holm"
    if each.standing is Standing.SMALL:
        least = f"{each.least_effect * 100:g} %"
        return f"{text}): no difference, for less than {least} counts as none."
    control = abs(each.control_share or 0.0) * 100
    if each.standing is Standing.CONTROL:
        return f"{text}): no difference, for as it is differs from itself by {control:.1f} %."
    return f"{text}; as it is differs from itself by {control:.1f} %)."


def notes(outcome: CompareOutcome) -> Iterator[str]:
    """Yield what a reader of the numbers must know."""
    found = outcome.comparison
    if outcome.interrupted:
        yield f"interrupted: {outcome.rounds} of {outcome.request.rounds} rounds are whole"
    for setting in found.settings:
        runs = found.runs_of(setting)
        idle = sum(run.without_effect for run in runs)
        if idle:
            yield (
                f"{setting}: accepted but without effect in {idle} of {len(runs)} runs: closed "
                "states were entered"
            )
    for name, why in outcome.request.candidates.left_out:
        yield f"{name} was left out: {why}"
    yield from outcome.notes


def _cells(found: Comparison, setting: str, metric: str) -> tuple[str, ...]:
    scale = _METRICS[metric][1]
    middle = _estimate(found, setting, metric)
    difference = found.difference(setting, metric)
    if middle.median is None or middle.low is None or middle.high is None:
        return (printable(setting), "0", *["n/a"] * (len(HEADS) - 2))
    interval = f"{_number(middle.low * scale)} to {_number(middle.high * scale)}"
    cells = (printable(setting), str(middle.n), _number(middle.median * scale), interval)
    if difference is None:
        return (*cells, "", "", "")
    share = difference.share
    delta = "n/a" if share is None else f"{share * 100:+.1f} %"
    if setting == CONTROL:
        return (*cells, delta, _p(difference.p), "")
    mark = "*" if difference.shown else ""
    return (*cells, delta, _p(difference.p), _p(difference.p_corrected) + mark)


def _estimate(comparison: Comparison, setting: str, metric: str) -> Estimate:
    return median_estimate(comparison.values(setting, metric), confidence=CONFIDENCE_OF_FIVE)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _p(value: float | None) -> str:
    """Return a p-value; one that would be rounded to zero is a bound."""
    if value is None:
        return "n/a"
    return f"{value:.3f}" if value >= 0.001 else "<0.001"


def _entries_text(found: Comparison, setting: str) -> str:
    runs = found.runs_of(setting)
    names = dict.fromkeys(name for run in runs for name in run.entries)
    parts = []
    for name in names:
        counts = [run.entries[name] for run in runs if name in run.entries]
        parts.append(f"{name} {median(counts):,.0f} ({min(counts):,} to {max(counts):,})")
    return printable(", ".join(parts) or "n/a")


def document(outcome: CompareOutcome) -> dict[str, object]:
    """Return ``stallscope.cstates.compare/1``."""
    request, found = outcome.request, outcome.comparison
    load = request.load
    return {
        "schema": SCHEMA,
        "source": "measured",
        "command": list(request.words),
        "load": load and {"rate_per_s": load.rate_per_s, "seconds": load.seconds},
        "rounds": outcome.rounds,
        "rounds_asked": request.rounds,
        "interrupted": outcome.interrupted,
        "seed": request.seed,
        "alpha": ALPHA,
        "least_effect": request.least_effect,
        "control": CONTROL,
        "others_share": found.others_share,
        "settings": [_setting(outcome, name) for name in found.settings],
        "left_out": [{"setting": name, "why": why} for name, why in request.candidates.left_out],
        "conclusions": list(conclusions(outcome)),
        "notes": list(notes(outcome)),
    }


def _setting(outcome: CompareOutcome, name: str) -> dict[str, object]:
    found = outcome.comparison
    runs = found.runs_of(name)
    plan = outcome.plans.get(name)
    return {
        "name": name,
        "plan": plan_document(plan)["plan"] if plan else [],
        "metrics": {metric: _metric(found, name, metric) for metric in found.metrics},
        "entries": [run.entries for run in runs],
        "runs_without_effect": sum(run.without_effect for run in runs),
    }


def _metric(found: Comparison, setting: str, metric: str) -> dict[str, object]:
    middle = _estimate(found, setting, metric)
    difference = found.difference(setting, metric)
    return {
        "values": list(found.values(setting, metric)),
        "median": middle.median,
        "low": middle.low,
        "high": middle.high,
        "delta_share": difference and difference.share,
        "p": difference and difference.p,
        "p_holm": difference and difference.p_corrected,
        "shown": difference and difference.shown,
        "standing": difference.standing if difference and setting != CONTROL else None,
    }
