"""The result of the footprint sweep."""

from typing import Literal

from cstates.fingerprint import Fingerprint
from harness.labs.stages.measurement import StagesMeasurement
from harness.labs.stages.plan import SATURATED, Side
from harness.labs.stages.quantities import BATCH, CPU, THROUGHPUT
from harness.labs.stages.result import SideValues, StagesMachine, stages_machine
from harness.labs.stages.sweep.finding import GainBy, gain_of, sweep_finding
from harness.labs.stages.sweep.measurement import (
    SweepMeasurement,
    misses_per_request,
    saved_ns_per_miss,
)
from harness.labs.stages.sweep.plan import BATCH_LIMITS, FOOTPRINTS_KB
from stallscope.documents import Amount, Count, Document, Natural, Number, Record
from stallscope.statistics.estimate import Estimate


class SweepPointRecord(Record, frozen=True, kw_only=True):
    """One point; ``gain`` is staged over unstaged, by throughput or by requests per CPU second.

    Misses are simulated and None without a replay; all other values are measured.
    """

    footprint_kb: Natural
    stage_kb: Natural
    max_batch: Natural | None  # None: the server's default
    gain: Estimate
    gain_by: GainBy
    unstaged_per_s: Amount | None
    staged_per_s: Amount | None
    cpu_per_request_ratio: Estimate
    average_batch: Amount | None
    icache_miss_ratio: SideValues
    icache_misses_per_request: SideValues
    saved_ns_per_miss: Number | None


class SweepSettings(Record, frozen=True, kw_only=True):
    """The options of the sweep."""

    pairs: Natural
    duration_s: Amount
    warmup_s: Amount
    pipeline: Natural
    connections: Natural
    seed: Count


class SweepResult(Document, frozen=True, kw_only=True, tag="stallscope.lab.stages.sweep/1"):
    """The gain of stages by code per request, and by batch limit at the best footprint."""

    path: Literal["codec"] = "codec"
    synthetic: bool = True
    footprints: tuple[SweepPointRecord, ...]
    batches: tuple[SweepPointRecord, ...]
    best_footprint_kb: Natural | None
    best_gain: Estimate | None
    pays_from_kb: Natural | None  # the least footprint with a gain; None: there is none
    pays_to_kb: Natural | None
    finding: str
    simulation: str | None  # the model of the cache; None without simulated misses
    simulation_unavailable: str | None
    l2_bytes: Count | None
    machine: StagesMachine
    settings: Fingerprint | None
    options: SweepSettings
    notes: tuple[str, ...]
    interrupted: bool
    output: str


def sweep_result(sweep: SweepMeasurement) -> SweepResult:
    """Return the result of a sweep."""
    finding = sweep_finding(sweep)
    options = sweep.options
    best = finding.best
    replays = [point.replays for point in sweep.footprints]
    models = [replay.model for replay in replays if replay.unstaged is not None]
    reasons = [replay.unavailable for replay in replays if replay.unavailable]
    return SweepResult(
        footprints=tuple(map(_point, sweep.footprints)),
        batches=tuple(map(_point, sweep.batches)),
        best_footprint_kb=None if best is None else best.options.footprint_kb,
        best_gain=None if best is None else gain_of(best)[0],
        pays_from_kb=finding.pays_from_kb,
        pays_to_kb=finding.pays_to_kb,
        finding=finding.text,
        simulation=models[0] if models else None,
        simulation_unavailable=reasons[0] if reasons else None,
        l2_bytes=sweep.l2_bytes,
        machine=stages_machine(sweep.cores),
        settings=sweep.settings,
        options=SweepSettings(
            pairs=options.pairs,
            duration_s=options.duration_s,
            warmup_s=options.warmup_s,
            pipeline=options.pipeline,
            connections=options.connections,
            seed=options.seed,
        ),
        notes=tuple(_notes(sweep)),
        interrupted=sweep.interrupted,
        output=str(options.output),
    )


def _point(lab: StagesMeasurement) -> SweepPointRecord:
    gain, by = gain_of(lab)
    rates = [lab.estimate(SATURATED, side, THROUGHPUT.of).median for side in Side]
    unstaged, staged = lab.replays.unstaged, lab.replays.staged
    assert lab.options.footprint_kb is not None
    assert lab.options.stage_kb is not None
    return SweepPointRecord(
        footprint_kb=lab.options.footprint_kb,
        stage_kb=lab.options.stage_kb,
        max_batch=lab.options.max_batch,
        gain=gain,
        gain_by=by,
        unstaged_per_s=rates[0],
        staged_per_s=rates[1],
        cpu_per_request_ratio=lab.ratio(SATURATED, CPU.of),
        average_batch=lab.estimate(SATURATED, Side.STAGED, BATCH.of).median,
        icache_miss_ratio=SideValues(
            unstaged=None if unstaged is None else unstaged.icache_miss_ratio,
            staged=None if staged is None else staged.icache_miss_ratio,
        ),
        icache_misses_per_request=SideValues(
            unstaged=misses_per_request(lab.replays, Side.UNSTAGED),
            staged=misses_per_request(lab.replays, Side.STAGED),
        ),
        saved_ns_per_miss=saved_ns_per_miss(lab),
    )


def _notes(sweep: SweepMeasurement) -> list[str]:
    notes = []
    if sweep.interrupted:
        done = len(sweep.footprints), len(sweep.batches)
        notes.append(
            f"Interrupted after {done[0]} of {len(FOOTPRINTS_KB)} footprints and {done[1]} of "
            f"{len(BATCH_LIMITS)} batch limits."
        )
    if sweep.cores.same_core:
        notes.append("Server and loader run on two threads of one core and slow each other down.")
    if sweep.settings is not None and sweep.settings.warnings:
        notes.append(f"Less repeatable: {', '.join(sweep.settings.warnings)}.")
    by_cpu = [point for point in sweep.footprints if gain_of(point)[1] is GainBy.CPU]
    if by_cpu:
        sizes = ", ".join(str(point.options.footprint_kb) for point in by_cpu)
        notes.append(
            f"At {sizes} KB the loader was the bottleneck, so the gain is that of requests per CPU "
            "second."
        )
    return notes
