"""Execution stages on and off: throughput, latency at a fixed rate, CPU, simulated misses.

Each case is a `stallscope lab stages`: a fresh server for each run, in pairs whose order
alternates. "ours" is staged, the "peer" the same server unstaged; both defer their writes.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.effort import pairs, seconds
from benchmarks.pairs import Case, save
from harness.labs.stages.notes import heading
from harness.labs.stages.plan import (
    FIXED_RATE,
    NEAR_SATURATION,
    SATURATED,
    Load,
    Side,
    StagesOptions,
)
from harness.labs.stages.results import Reading, StagesResults
from harness.labs.stages.session import run_lab

PAIRS = 5
DURATION_S = 1.5
WARMUP_S = 0.4


@dataclass(frozen=True, slots=True)
class Experiment:
    """One path at one pipeline depth, with the bars it has, in words; empty: none."""

    path: str
    pipeline: int
    throughput: str
    p99_fixed: str = ""
    p99_near: str = ""
    misses: str = ""
    instructions: str = ""

    @property
    def name(self) -> str:
        """Return what the cases are called; synthetic code is named so."""
        synthetic = " (synthetic)" if self.path == "codec" else ""
        return f"{self.path}{synthetic}, pipeline {self.pipeline}"

    @property
    def loads(self) -> tuple[Load, ...]:
        """Return the open loops that have a bar."""
        wanted = ((FIXED_RATE, self.p99_fixed), (NEAR_SATURATION, self.p99_near))
        return tuple(load for load, bar in wanted if bar)


EXPERIMENTS = (
    Experiment(
        "codec", 8, "at least 1.44 (core with an L1I of at most 32 KB)", "at most 1.00",
        "at most 0.80", "at most 0.10", "at most 1.03",
    ),
    Experiment("codec", 1, "at least 1.25 (core with an L1I of at most 32 KB)"),
    Experiment(
        "query", 8, "at least 1.05; 1.15 to reach for", "at most 1.00", "", "at most 0.40",
        "at most 1.03",
    ),
    Experiment("kv", 8, "at least 0.97", "at most 1.00"),
)  # fmt: skip


def measured(experiment: Experiment, folder: Path) -> StagesResults:
    """Return what the lab finds for one experiment."""
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
    return run_lab(options, None)


def cases(experiment: Experiment, results: StagesResults) -> list[Case]:
    """Return the experiment's cases: paired readings, and the one pair of simulated counts."""
    wanted: list[tuple[str, str, Load, Callable[[Reading], float | None]]] = [
        ("requests/s, saturated", experiment.throughput, SATURATED, lambda r: r.throughput),
        ("CPU us a request, saturated", "", SATURATED, lambda r: r.cpu_us),
        ("p99 us, open loop at 60 %", experiment.p99_fixed, FIXED_RATE, lambda r: r.p99_us),
        ("p99 us, open loop at 90 %", experiment.p99_near, NEAR_SATURATION, lambda r: r.p99_us),
    ]
    found = []
    for metric, bar, load, pick in wanted:
        both = [
            (staged, unstaged)
            for staged, unstaged in zip(
                results.values(load, Side.STAGED, pick),
                results.values(load, Side.UNSTAGED, pick),
                strict=True,
            )
            if staged is not None and unstaged
        ]
        if both:
            found.append(_case(experiment, metric, bar, both, heading(results)))
    return found + _simulated(experiment, results)


def _simulated(experiment: Experiment, results: StagesResults) -> list[Case]:
    staged, unstaged = results.replays.staged, results.replays.unstaged
    if not experiment.misses:
        return []
    if staged is None or unstaged is None:
        print(f"{experiment.name}: no simulated counts: {results.replays.why_not}", flush=True)
        return []
    model = f"simulated (modelled): {results.replays.model}"
    misses = (staged.icache_miss_ratio, unstaged.icache_miss_ratio)
    counted = (staged.instructions_per_request, unstaged.instructions_per_request)
    return [
        _case(experiment, "I1 misses a fetch, modelled", experiment.misses, [misses], model),
        _case(experiment, "instructions a request, modelled", experiment.instructions, [counted],
              model),
    ]  # fmt: skip


def _case(
    experiment: Experiment, metric: str, bar: str, both: list[tuple[float, float]], notes: str
) -> Case:
    return Case(
        name=experiment.name,
        metric=metric,
        ours_command="stallscope-server --stages on",
        peer_command="stallscope-server --stages off",
        bar=bar,
        ours=tuple(staged for staged, _ in both),
        peer=tuple(unstaged for _, unstaged in both),
        notes=notes,
    )


def run() -> None:
    """Measure all experiments."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for experiment in EXPERIMENTS:
            print(experiment.name, flush=True)
            found += cases(experiment, measured(experiment, Path(folder)))
    save("stages", "./dev bench stages", found)
