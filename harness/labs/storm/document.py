"""The storm lab as a JSON document; what scripts rely on stands first."""

from dataclasses import asdict

from harness.labs.storm.conclusion import LEAST_READS, conclude
from harness.labs.storm.plan import ALONE, asked_text
from harness.labs.storm.rounds import COMPARED, OTHERS, READER, WRITER, StormResults
from harness.labs.storm.trial import Recommended
from ioprobe.storm import Setting, StormRound
from stallscope.statistics.estimate import Estimate

SCHEMA = "stallscope.lab.storm/1"


def storm_document(results: StormResults) -> dict[str, object]:
    """Return the document of schema ``stallscope.lab.storm/1``; null is what is not known.

    ``rows`` are with shares, ``first_come`` without: readers and writers in one FIFO.
    """
    verdict = conclude(results)
    options, streams = results.options, results.options.streams
    known = results.settings()
    return {
        "schema": SCHEMA,
        "rows": [_row(results, one) for one in _listed(known, shared=True)],
        "first_come": [_row(results, one) for one in _listed(known, shared=False)],
        "reader_alone": _row(results, ALONE) if ALONE in known else None,
        "recommended": _recommended(results.recommended),
        "against": results.against.limit,
        "ratios": _ratios(results, results.against),
        "ratios_against_no_limit": _ratios(results, Setting(None, None)),
        "verdict": str(verdict.conclusion),
        "verdict_reason": verdict.reason,
        "source": "modelled" if results.modelled else "measured",
        "path": options.path,
        "asked": asked_text(options),
        "options": {
            "rounds": options.rounds,
            "duration_s": options.duration_s,
            "warmup_s": options.warmup_s,
            "shares": list(options.shares),
            "reader_bytes": streams.reader_bytes,
            "reader_depth": streams.reader_depth,
            "writer_bytes": streams.writer_bytes,
            "writer_depth": streams.writer_depth,
        },
        "rounds": [_round(one) for one in results.rounds],
        "facts": results.facts,
        "warnings": [*results.warnings, *_cautions(results, known)],
        "seconds": results.seconds,
        "complete": results.complete,
    }


def _recommended(found: Recommended) -> dict[str, object]:
    tried = [asdict(one) for one in found.tried]
    return {"limit": found.limit, "how": found.how, "tried": tried}


def _listed(known: tuple[Setting, ...], *, shared: bool) -> list[Setting]:
    """Return settings with or without shares, from no limit to the least."""
    found = [one for one in known if one.writes and (one.shares is not None) == shared]
    return sorted(found, key=lambda one: -(one.limit or 2**62))


def _row(results: StormResults, setting: Setting) -> dict[str, object]:
    kept, all_of = results.kept(setting), results.all_of(setting)
    greatest = [one.reader.max for one in kept if one.reader is not None]
    reader = {name: _median(results, setting, name) for name in READER}
    return {
        "limit": setting.limit,
        "shares": None if setting.shares is None else list(setting.shares),
        "recommended": setting.writes and setting.limit == results.recommended.limit,
        "reader_ns": {**reader, "max": max(greatest, default=None)},
        **{name: _median(results, setting, name) for name in OTHERS},
        "reads": sum(one.reads for one in kept),
        "rounds": len(kept),
        "masked": [why for one in all_of for why in one.failed],
        "spreads": {
            name: _estimate(results.estimate(setting, COMPARED[name])) for name in COMPARED
        },
    }


def _median(results: StormResults, setting: Setting, name: str) -> float | None:
    return results.estimate(setting, {**READER, **OTHERS}[name]).median


def _ratios(results: StormResults, against: Setting) -> dict[str, object]:
    return {
        name: _estimate(results.ratio(results.limited, against, pick))
        for name, pick in COMPARED.items()
    }


def _estimate(estimate: Estimate) -> dict[str, float | int | None]:
    return {
        "median": estimate.median,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
    }


def _round(one: StormRound) -> dict[str, object]:
    setting = one.run.setting
    return {
        "round": one.run.round,
        "limit": setting.limit,
        "shares": None if setting.shares is None else list(setting.shares),
        "writes": setting.writes,
        "seconds": one.seconds,
        "reads": one.reads,
        "reader_ns": one.reader and one.reader.document(),
        "reader_delay_ns": one.reader_delay and one.reader_delay.document(),
        WRITER: one.writer_bytes_per_s,
        "pending": one.pending,
        "in_flight": one.in_flight,
        "iowait_share": one.iowait_share,
        "cpu_delay_share": one.cpu_delay_share,
        "errors": dict(one.errors),
        "failed": list(one.failed),
    }


def _cautions(results: StormResults, known: tuple[Setting, ...]) -> list[str]:
    found = []
    few = [one.reads for setting in known for one in results.kept(setting)]
    short = [reads for reads in few if reads < LEAST_READS]
    if short:
        found.append(
            f"p99.9 is little more than the greatest value in {len(short)} of {len(few)} runs, "
            f"which have under {LEAST_READS:,} reads (least {min(short):,}): make rounds longer"
        )
    if not results.complete:
        found.append("interrupted: finished runs only are told")
    return found
