"""The result of `stallscope lab stages`: ratios, verdict, tables by load, all rounds."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from cstates.fingerprint import Fingerprint
from harness.labs.stages.ipc import ipc_meaning
from harness.labs.stages.measurement import (
    Replays,
    StagesMeasurement,
    StagesQuantity,
    StagesReading,
)
from harness.labs.stages.notes import stages_notes
from harness.labs.stages.plan import (
    NEAR_SATURATION,
    SATURATED,
    LoadLevel,
    Side,
)
from harness.labs.stages.quantities import BATCH, CPU, P99, QUANTITIES, THROUGHPUT
from harness.labs.stages.slot_documents import slot_documents, tree_ipc
from harness.labs.stages.verdict import stages_verdict
from harness.topdown.phase_counts import PhaseCounts
from harness.topdown.result import TopdownResult
from harness.workload.cores import Cores
from harness.workload.server_queries import StageCounts
from stallscope.documents import (
    Amount,
    Count,
    Document,
    Natural,
    Number,
    Record,
    field,
)
from stallscope.statistics.estimate import Estimate


class SideValues(Record, frozen=True, kw_only=True):
    """A value of each side; None if it was not simulated."""

    unstaged: Number | None
    staged: Number | None


class SideEstimates(Record, frozen=True, kw_only=True):
    """A quantity on both sides, and staged divided by unstaged pair by pair."""

    unstaged: Estimate
    staged: Estimate
    ratio: Estimate


class StagesSimulation(Record, frozen=True, kw_only=True):
    """The source of the simulated values."""

    kind: Literal["modelled", "unavailable"]
    model: str | None
    why_not: str | None


class StagesMachine(Record, frozen=True, kw_only=True):
    """The CPUs of server and loader."""

    cpu_model: str
    l1i_bytes: Count | None
    server_cpu: Count
    loader_cpu: Count
    same_core: bool
    server_cpus: tuple[Count, ...] = ()  # one per thread
    loader_cpus: tuple[Count, ...] = ()
    shared: bool = False  # server and loader share CPUs: times mean nothing


class StageRecord(Record, frozen=True, kw_only=True):
    """Counts of a stage over all saturated runs of the staged side."""

    name: str
    executed: Count
    batches: Count
    preempted: Count
    average_batch: Amount | None  # None if the stage had no call


class StagesSettings(Record, frozen=True, kw_only=True):
    """The options of the lab."""

    pairs: Natural
    duration_s: Amount
    warmup_s: Amount
    pipeline: Natural
    connections: Natural
    max_batch: Natural | None
    footprint_kb: Natural | None
    stage_kb: Natural | None
    seed: Count
    threads: Natural = 1


class LoadTable(Record, frozen=True, kw_only=True):
    """All quantities under one load."""

    load: str  # "saturated" or "open60"
    share_of_capacity: Amount | None
    rate_per_s: Amount | None = None  # requested; None unless --rate
    pairs: Count
    throughput_per_s: SideEstimates
    mean_us: SideEstimates = field(name="mean")
    p50_us: SideEstimates
    p90_us: SideEstimates
    p95_us: SideEstimates = field(name="p95")
    p99_us: SideEstimates
    p999_us: SideEstimates = field(name="p99.9_us")
    cpu_us: SideEstimates
    average_batch: SideEstimates

    @property
    def level(self) -> LoadLevel:
        """Return the load."""
        return LoadLevel(self.share_of_capacity, self.rate_per_s)


class StageInterval(Record, frozen=True, kw_only=True):
    """p99 of one interval of a run; the time counts from the first interval of the lab."""

    time_s: Number = field(name="t_s")
    length_s: Amount
    p99_us: Amount


class StagesRound(Record, frozen=True, kw_only=True):
    """One run of a pair; values are None if not measured."""

    pair: Count
    load: str
    side: Side
    requested_rate_per_s: Amount | None = field(name="rate_requested")
    throughput_per_s: Amount
    mean_us: Amount | None = field(name="mean")
    p50_us: Amount | None
    p90_us: Amount | None
    p95_us: Amount | None = field(name="p95")
    p99_us: Amount | None
    p999_us: Amount | None = field(name="p99.9_us")
    cpu_us: Amount | None  # of the server, per request
    average_batch: Amount | None
    errors: Count
    p99_over_time: tuple[StageInterval, ...] = ()
    limited_by_loader: str | None  # the reason if the loader was the bottleneck


class StagesRow(Record, frozen=True, kw_only=True):
    """The medians of one side under a load; latencies in microseconds, None if not measured."""

    load: str
    side: Side
    throughput_per_s: Amount | None
    mean_us: Amount | None = field(name="mean")
    p50_us: Amount | None = field(name="p50")
    p90_us: Amount | None = field(name="p90")
    p95_us: Amount | None = field(name="p95")
    p99_us: Amount | None = field(name="p99")
    p999_us: Amount | None = field(name="p99.9")
    cpu_us: Amount | None  # of the server, per request
    average_batch: Amount | None


class StagesResult(Document, frozen=True, kw_only=True, tag="stallscope.lab.stages/1"):
    """Execution stages on and off; every ratio is staged divided by unstaged."""

    FORMER_KEYS: ClassVar[Mapping[str, str]] = {"rate_asked": "rate_requested"}

    path: str
    synthetic: bool
    pairs: Count
    throughput_ratio: Estimate
    p99_ratio: Estimate
    p99_ratio_near_saturation: Estimate
    cpu_per_request_ratio: Estimate
    icache_miss_ratio: SideValues  # misses per fetch
    instructions_per_request: SideValues
    instructions_per_request_ratio: Amount | None
    simulation: StagesSimulation
    average_batch: Amount | None
    verdict: str
    verdict_reason: str
    p99_ratio_at_share: Amount | None
    p99_ratio_at_rate_per_s: Amount | None = None
    capacity_per_s: Amount | None
    slots: dict[Side, TopdownResult]  # of kind "unavailable", without nodes, if there are none
    icache_miss_ratio_counted: SideValues | None = None  # misses per access, by the PMU
    ipc_meaning: str | None = None
    counters: dict[Side, PhaseCounts] = field(default_factory=dict)  # of the measured time
    slots_unavailable: str | None
    profiles_unavailable: str | None
    machine: StagesMachine
    settings: Fingerprint | None
    options: StagesSettings
    rows: tuple[StagesRow, ...] = ()
    loads: tuple[LoadTable, ...]
    rounds: tuple[StagesRound, ...]
    stages: tuple[StageRecord, ...] = ()
    notes: tuple[str, ...]
    interrupted: bool
    output: str

    @property
    def slot_trees(self) -> list[TopdownResult]:
        """Return the slot trees of both sides; empty if there are none."""
        trees = [self.slots[side] for side in Side]
        return trees if all(tree.nodes for tree in trees) else []


def stages_result(lab: StagesMeasurement) -> StagesResult:
    """Return the result of a measurement."""
    verdict = stages_verdict(lab)
    options, cores = lab.options, lab.cores
    unstaged, staged = lab.replays.unstaged, lab.replays.staged
    slots = slot_documents(lab.slots)
    return StagesResult(
        path=options.path,
        synthetic=options.path == "codec",
        pairs=lab.complete_pairs(SATURATED),
        throughput_ratio=lab.ratio(SATURATED, THROUGHPUT.of),
        p99_ratio=lab.ratio(lab.fixed_load, P99.of),
        p99_ratio_near_saturation=lab.ratio(NEAR_SATURATION, P99.of),
        cpu_per_request_ratio=lab.ratio(SATURATED, CPU.of),
        icache_miss_ratio=SideValues(
            unstaged=None if unstaged is None else unstaged.icache_miss_ratio,
            staged=None if staged is None else staged.icache_miss_ratio,
        ),
        instructions_per_request=SideValues(
            unstaged=None if unstaged is None else unstaged.instructions_per_request,
            staged=None if staged is None else staged.instructions_per_request,
        ),
        instructions_per_request_ratio=_instruction_ratio(lab.replays),
        simulation=StagesSimulation(
            kind="unavailable" if _instruction_ratio(lab.replays) is None else "modelled",
            model=lab.replays.model or None,
            why_not=lab.replays.unavailable or None,
        ),
        average_batch=lab.estimate(SATURATED, Side.STAGED, BATCH.of).median,
        verdict=str(verdict.conclusion),
        verdict_reason=verdict.reason,
        p99_ratio_at_share=lab.fixed_load.share,
        p99_ratio_at_rate_per_s=lab.fixed_load.rate_per_s,
        capacity_per_s=lab.capacity_per_s,
        slots=slots,
        icache_miss_ratio_counted=_counted_misses(lab),
        ipc_meaning=ipc_meaning(*map(tree_ipc, slots.values())),
        counters=dict(lab.counters),
        slots_unavailable=lab.slots.unavailable or None,
        profiles_unavailable=lab.profiles.unavailable or None,
        machine=stages_machine(cores),
        settings=lab.settings,
        options=_settings(lab),
        rows=tuple(_row(lab, load, side) for load in (SATURATED, *options.loads) for side in Side),
        loads=tuple(_load_table(lab, load) for load in (SATURATED, *options.loads)),
        rounds=_rounds(lab),
        stages=_stages(lab),
        notes=tuple(stages_notes(lab)),
        interrupted=lab.interrupted,
        output=str(options.output),
    )


def stages_machine(cores: Cores) -> StagesMachine:
    """Return the CPUs of server and loader."""
    return StagesMachine(
        cpu_model=cores.cpu_model,
        l1i_bytes=cores.l1i_bytes,
        server_cpu=cores.server,
        loader_cpu=cores.loader,
        same_core=cores.same_core,
        server_cpus=cores.server_cpus,
        loader_cpus=cores.loader_cpus,
        shared=cores.shared,
    )


def _stages(lab: StagesMeasurement) -> tuple[StageRecord, ...]:
    runs = [reading.stages for reading in lab.readings if reading.run.load == SATURATED]
    return tuple(
        _stage_record(name, [stages[name] for stages in runs if name in stages])
        for name in dict.fromkeys(name for stages in runs for name in stages)
    )


def _stage_record(name: str, counts: list[StageCounts]) -> StageRecord:
    executed, batches = sum(c.executed for c in counts), sum(c.batches for c in counts)
    return StageRecord(
        name=name,
        executed=executed,
        batches=batches,
        preempted=sum(c.preempted for c in counts),
        average_batch=executed / batches if batches else None,
    )


def _instruction_ratio(replays: Replays) -> float | None:
    unstaged, staged = replays.unstaged, replays.staged
    if unstaged is None or staged is None or unstaged.instructions_per_request <= 0:
        return None
    return staged.instructions_per_request / unstaged.instructions_per_request


def _counted_misses(lab: StagesMeasurement) -> SideValues | None:
    ratios = lab.slots.icache_miss_ratio
    if not ratios:
        return None
    return SideValues(unstaged=ratios.get(Side.UNSTAGED), staged=ratios.get(Side.STAGED))


def _settings(lab: StagesMeasurement) -> StagesSettings:
    options = lab.options
    return StagesSettings(
        pairs=options.pairs,
        duration_s=options.duration_s,
        warmup_s=options.warmup_s,
        pipeline=options.pipeline,
        connections=options.connections,
        max_batch=options.max_batch,
        footprint_kb=options.footprint_kb,
        stage_kb=options.stage_kb,
        seed=options.seed,
        threads=options.threads,
    )


def _load_table(lab: StagesMeasurement, load: LoadLevel) -> LoadTable:
    rows = {quantity.field: _side_estimates(lab, load, quantity.of) for quantity in QUANTITIES}
    return LoadTable(
        load=load.name,
        share_of_capacity=load.share,
        rate_per_s=load.rate_per_s,
        pairs=lab.complete_pairs(load),
        **rows,
    )


def _row(lab: StagesMeasurement, load: LoadLevel, side: Side) -> StagesRow:
    medians = {
        quantity.field: lab.estimate(load, side, quantity.of).median for quantity in QUANTITIES
    }
    return StagesRow(load=load.name, side=side, **medians)


def _side_estimates(
    lab: StagesMeasurement, load: LoadLevel, quantity: StagesQuantity
) -> SideEstimates:
    return SideEstimates(
        unstaged=lab.estimate(load, Side.UNSTAGED, quantity),
        staged=lab.estimate(load, Side.STAGED, quantity),
        ratio=lab.ratio(load, quantity),
    )


def _rounds(lab: StagesMeasurement) -> tuple[StagesRound, ...]:
    starts = [interval.start_s for reading in lab.readings for interval in reading.p99_over_time]
    return tuple(_round(reading, min(starts, default=0.0)) for reading in lab.readings)


def _round(reading: StagesReading, begin_s: float) -> StagesRound:
    return StagesRound(
        pair=reading.run.pair,
        load=reading.run.load.name,
        side=reading.run.side,
        requested_rate_per_s=reading.requested_rate_per_s,
        throughput_per_s=reading.throughput_per_s,
        mean_us=reading.mean_us,
        p50_us=reading.p50_us,
        p90_us=reading.p90_us,
        p95_us=reading.p95_us,
        p99_us=reading.p99_us,
        p999_us=reading.p999_us,
        cpu_us=reading.cpu_us,
        average_batch=reading.average_batch,
        errors=reading.errors,
        p99_over_time=tuple(
            StageInterval(
                time_s=interval.start_s - begin_s,
                length_s=interval.length_s,
                p99_us=interval.p99_us,
            )
            for interval in reading.p99_over_time
        ),
        limited_by_loader=reading.loader_limit or None,
    )
