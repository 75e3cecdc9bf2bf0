"""Execution stages on and off: throughput, latency at a fixed rate, CPU, simulated cache misses.

Every case is a `stallscope lab stages`: a fresh server for each run, in pairs of alternating order.
"Ours" is the staged server and the "peer" the same server without stages; both defer their writes.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases import Bar, Case, ratio
from benchmarks.effort import pairs, seconds
from harness.labs.stages.measurement import StagesMeasurement, StagesQuantity
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import FIXED_RATE, NEAR_SATURATION, SATURATED, LoadLevel, Side
from harness.labs.stages.quantities import BATCH, CPU, P99, THROUGHPUT
from harness.labs.stages.result import stages_result
from harness.labs.stages.session import measure_stages
from harness.labs.stages.sweep.finding import gain_of, sweep_finding
from harness.labs.stages.sweep.measurement import SweepMeasurement
from harness.labs.stages.sweep.session import measure_sweep
from harness.labs.stages.text import heading

PAIRS = 5
DURATION_S = 1.5
WARMUP_S = 0.4
SWEEP_KB = (256, 512, 1024, 2048)
SMALL_L1I_BYTES = 32 * 1024  # the bars on synthetic code hold up to this size of the L1I


@dataclass(frozen=True, slots=True)
class StageExperiment:
    """One path at one pipeline depth with its bars; () for a figure without a bar."""

    path: str
    pipeline: int
    throughput: Bar
    p99_fixed: Bar = ()
    p99_near: Bar = ()
    misses: Bar = ()
    instructions: Bar = ()
    goal: str = ""
    of: str = ""  # part of the name: how the footprint was chosen

    @property
    def name(self) -> str:
        """Return the name of the cases; synthetic code is marked."""
        synthetic = " (synthetic)" if self.path == "codec" else ""
        return f"{self.path}{synthetic}{self.of}, pipeline {self.pipeline}"

    @property
    def loads(self) -> tuple[LoadLevel, ...]:
        """Return the open loops that have a bar."""
        bars = ((FIXED_RATE, self.p99_fixed), (NEAR_SATURATION, self.p99_near))
        return tuple(load for load, bar in bars if bar)


EXPERIMENTS = (
    StageExperiment(
        "codec",
        8,
        throughput=(ratio(at_least=1.44),),
        p99_fixed=(ratio(at_most=1.00),),
        p99_near=(ratio(at_most=0.80),),
        misses=(ratio(at_most=0.10),),
        instructions=(ratio(at_most=1.03),),
    ),
    StageExperiment("codec", 1, throughput=(ratio(at_least=1.25),)),
    StageExperiment(
        "query",
        8,
        throughput=(ratio(at_least=1.05),),
        p99_fixed=(ratio(at_most=1.00),),
        misses=(ratio(at_most=0.40),),
        instructions=(ratio(at_most=1.03),),
        goal="goal: ratio at least 1.15",
    ),
    StageExperiment("kv", 8, throughput=(ratio(at_least=0.97),), p99_fixed=(ratio(at_most=1.00),)),
)

BEST_FOOTPRINT = StageExperiment(
    "codec", 8, throughput=(ratio(at_least=1.44),), of=", best footprint"
)


def run() -> list[Case]:
    """Measure all experiments."""
    cases: list[Case] = []
    with tempfile.TemporaryDirectory() as folder:
        for experiment in EXPERIMENTS:
            print(experiment.name, flush=True)
            results = measure(experiment, Path(folder))
            cases += _timed_cases(experiment, results)
            cases += _simulated_cases(experiment, results)
        print("codec (synthetic), footprints", flush=True)
        cases += _sweep_cases(_measure_sweep(Path(folder)))
    return cases


def measure(experiment: StageExperiment, folder: Path) -> StagesMeasurement:
    """Return the results of the lab for one experiment."""
    options = StagesOptions(
        path=experiment.path,
        output=folder / f"{experiment.path}-{experiment.pipeline}",
        pairs=pairs(PAIRS),
        duration_s=seconds(DURATION_S),
        warmup_s=WARMUP_S,
        pipeline=experiment.pipeline,
        loads=experiment.loads,
        profile_s=0,
        replay=bool(experiment.misses),
    )
    return measure_stages(options, None)


def _measure_sweep(folder: Path) -> SweepMeasurement:
    """Return the gain at footprints above the L1I; those below have none."""
    options = StagesOptions(
        path="codec",
        output=folder / "sweep",
        pairs=pairs(PAIRS),
        duration_s=seconds(DURATION_S / 2),
        warmup_s=WARMUP_S,
        pipeline=8,
        replay=False,
    )
    return measure_sweep(options, None, footprints_kb=SWEEP_KB, batch_limits=())


def _sweep_cases(sweep: SweepMeasurement) -> Iterator[Case]:
    """Yield the case of the footprint with the largest gain."""
    best = sweep_finding(sweep).best
    if best is None:
        return
    rates = [best.values(SATURATED, side, THROUGHPUT.of) for side in (Side.STAGED, Side.UNSTAGED)]
    readings = [
        (staged, unstaged) for staged, unstaged in zip(*rates, strict=True) if staged and unstaged
    ]
    gains = ", ".join(
        f"{lab.options.footprint_kb} KB {gain_of(lab)[0].median or 0:.2f}"
        for lab in sweep.footprints
    )
    batch = best.estimate(SATURATED, Side.STAGED, BATCH.of).median
    notes = f"best footprint {best.options.footprint_kb} KB; gains: {gains}"
    if batch is not None:
        notes += f"; average batch {batch:.3g}"
    if readings:
        yield _case(
            BEST_FOOTPRINT, "requests/s, saturated", BEST_FOOTPRINT.throughput, readings, notes
        )


def _timed_cases(experiment: StageExperiment, results: StagesMeasurement) -> Iterator[Case]:
    metrics: list[tuple[str, Bar, LoadLevel, StagesQuantity]] = [
        ("requests/s, saturated", experiment.throughput, SATURATED, THROUGHPUT.of),
        ("CPU us per request, saturated", (), SATURATED, CPU.of),
        ("p99 us, open loop at 60 %", experiment.p99_fixed, FIXED_RATE, P99.of),
        ("p99 us, open loop at 90 %", experiment.p99_near, NEAR_SATURATION, P99.of),
    ]
    for metric, bar, load, pick in metrics:
        readings = zip(
            results.values(load, Side.STAGED, pick),
            results.values(load, Side.UNSTAGED, pick),
            strict=True,
        )
        complete = [
            (staged, unstaged) for staged, unstaged in readings if staged is not None and unstaged
        ]
        if not complete:
            continue
        notes, applied = heading(stages_result(results)), bar
        batch = results.estimate(load, Side.STAGED, BATCH.of).median
        if batch is not None:
            notes += f"; average batch {batch:.3g}"
        if bar and metric.startswith("requests/s"):
            notes += f"; {experiment.goal}" if experiment.goal else ""
            if experiment.path == "codec":
                notes += "; the bar applies to cores with an L1I of at most 32 KB"
                applied = bar if _has_small_l1i(results) else ()
        yield _case(experiment, metric, applied, complete, notes)


def _has_small_l1i(results: StagesMeasurement) -> bool:
    l1i_bytes = results.cores.l1i_bytes
    return l1i_bytes is not None and l1i_bytes <= SMALL_L1I_BYTES


def _simulated_cases(experiment: StageExperiment, results: StagesMeasurement) -> list[Case]:
    staged, unstaged = results.replays.staged, results.replays.unstaged
    if not experiment.misses:
        return []
    if staged is None or unstaged is None:
        print(f"{experiment.name}: no simulated counts: {results.replays.unavailable}", flush=True)
        return []
    model = f"simulated (modelled): {results.replays.model}"
    misses = (staged.icache_miss_ratio, unstaged.icache_miss_ratio)
    instructions = (staged.instructions_per_request, unstaged.instructions_per_request)
    return [
        _case(experiment, metric, bar, [counts], model, exact=True)
        for metric, bar, counts in (
            ("I1 misses per fetch, modelled", experiment.misses, misses),
            ("instructions per request, modelled", experiment.instructions, instructions),
        )
    ]


def _case(
    experiment: StageExperiment,
    metric: str,
    bar: Bar,
    readings: list[tuple[float, float]],
    notes: str,
    *,
    exact: bool = False,
) -> Case:
    return Case(
        name=experiment.name,
        metric=metric,
        ours_command="stallscope-server --stages on",
        peer_command="stallscope-server --stages off",
        bar=bar,
        ours=tuple(staged for staged, _ in readings),
        peer=tuple(unstaged for _, unstaged in readings),
        exact=exact,
        notes=notes,
    )
