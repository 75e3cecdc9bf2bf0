"""Known answers of `stallscope bench gate`: simulated machines, and a real program.

Null comparisons of one binary, half of them beside a busy neighbour, fire at most 10 times of 200.
A real slowdown of 5 % is found in at least 40 of 50 trials, and one of 2 % with slower:1% in at
least 25 of 50, if single runs spread by at most 3 %; otherwise the measured figures have no bar.
STALLSCOPE_BENCH_PAIRS sets the number of trials of each slowdown (default 50; nulls: four times
this number). Takes about five minutes.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path

from benchmarks.cases import Bar, Case, ours
from benchmarks.effort import pairs
from benchmarks.gate_noise import CALM, NORMAL, Noise, NoisyMachine
from harness.bench.gate.blocks import Block
from harness.bench.gate.decision import GateVerdict, percent_threshold, run_stages
from harness.bench.gate.measurement import BlockMeasurement
from harness.bench.gate.options import gate_options
from harness.bench.run.measurement import CommandRunner
from stallscope.launcher import Launcher

TRIALS = 50
BLOCKS = 20  # a stage
WORK_MS = 5.0
LARGEST_SPREAD = 0.03
SOURCE = Path(__file__).parent / "targets" / "scaled_work.c"
COMMAND = "stallscope bench gate --base BASE --head HEAD --fail-if slower:{:g}%"
# Bursts of 0.05 to 0.2 s, with pauses of the same length.
NEIGHBOUR = """
import random, time
while True:
    end = time.monotonic() + random.uniform(0.05, 0.2)
    while time.monotonic() < end: pass
    time.sleep(random.uniform(0.05, 0.2))
"""
Measure = Callable[[int], Sequence[Block]]


def run() -> list[Case]:
    """Measure the simulated machines, then the program."""
    cases = []
    for name, noise in (("calm", CALM), ("normal", NORMAL)):
        cases += _cases(
            f"simulated, {name}",
            partial(_simulated, noise),
            is_steady=True,
        )
    if shutil.which("cc") is None:
        print("there is no C compiler: no real program")
        return cases
    with tempfile.TemporaryDirectory() as name, Launcher() as launcher:
        program = Program(Path(name), launcher)
        print(f"spread of a run {program.spread:.1%}, {program.steps} steps", flush=True)
        cases += _cases(
            f"real program of {program.work_ms:.1f} ms, spread of a run {program.spread:.1%}",
            program.blocks,
            is_steady=program.spread <= LARGEST_SPREAD,
            with_neighbour=True,
        )
    return cases


def _cases(
    name: str,
    measure: Callable[[float, int], Measure],
    *,
    is_steady: bool,
    with_neighbour: bool = False,
) -> list[Case]:
    trials = pairs(TRIALS)
    nulls = 4 * trials
    alarms = _found(measure, 0.0, 2, nulls // 2, 0)
    with _neighbour() if with_neighbour else nullcontext():
        alarms += _found(measure, 0.0, 2, nulls - nulls // 2, nulls)
    rows = [
        _case(f"{name}: false alarms of {nulls}", 2, alarms, (ours(at_most=nulls / 20),)),
    ]
    for slowdown, percent, share in ((0.05, 2, 0.8), (0.02, 1, 0.5)):
        detected = _found(measure, slowdown, percent, trials, 2 * nulls)
        bar = (ours(at_least=share * trials),) if is_steady else ()
        rows.append(
            _case(f"{name}: {slowdown:.0%} slower, found of {trials}", percent, detected, bar)
        )
    return rows


def _simulated(noise: Noise, slowdown: float, seed: int) -> Measure:
    return NoisyMachine(noise, seed).blocks(slowdown)


def _found(
    measure: Callable[[float, int], Measure],
    slowdown: float,
    percent: float,
    trials: int,
    seed: int,
) -> int:
    """Return the number of regressions that gates report."""
    threshold = percent_threshold(percent)
    decisions = [
        run_stages(measure(slowdown, seed + number), BLOCKS, threshold)[0]
        for number in range(trials)
    ]
    return sum(decision.verdict is GateVerdict.REGRESSION for decision in decisions)


def _case(name: str, percent: float, count: int, bar: Bar) -> Case:
    print(f"{name}: {count}", flush=True)
    return Case(
        name=name,
        metric="regressions",
        ours_command=COMMAND.format(percent),
        bar=bar,
        ours=(float(count),),
        exact=True,
    )


class Program:
    """The program, its work for a run of some milliseconds, and the spread of its runs."""

    def __init__(self, folder: Path, launcher: Launcher) -> None:
        """Compile it, and measure the cost of a step."""
        self._launcher = launcher
        self._path = folder / "scaled_work"
        subprocess.run(["cc", "-O1", "-o", self._path, SOURCE], check=True)
        start_ms = self._minimum_ms(0)
        probe_steps = 10_000_000
        self._step_ms = (self._minimum_ms(probe_steps) - start_ms) / probe_steps
        self.steps = max(1, round((WORK_MS - start_ms) / self._step_ms))
        self.work_ms = self._minimum_ms(self.steps)
        control = [block.control for block in self.blocks(0.0, 0)(40)]
        self.spread = 1.4826 * statistics.median(map(abs, control)) / 2**0.5

    def blocks(self, slowdown: float, seed: int) -> Measure:
        """Return a function that measures blocks whose head has more work."""
        more = round(slowdown * self.work_ms / self._step_ms)
        options = gate_options(
            {
                "base": f"{self._path} {self.steps}",
                "head": f"{self._path} {self.steps + more}",
                "fail_if": "slower:1%", "file": None, "blocks": BLOCKS, "builds": 1, "warmup": 1,
                "seed": seed, "timeout_s": 60.0, "strict": False, "as_json": False,
            }
        )  # fmt: skip
        runner = CommandRunner(self._launcher, (options.base, options.head), options.limits)
        measurement = BlockMeasurement(runner, options, lambda _: None)
        measurement.warm_up()
        return measurement.blocks

    def _minimum_ms(self, steps: int) -> float:
        options = gate_options(
            {
                "base": f"{self._path} {steps}", "head": f"{self._path} {steps}",
                "fail_if": "slower:1%", "file": None, "blocks": BLOCKS, "builds": 1, "warmup": 0,
                "seed": 0, "timeout_s": 60.0, "strict": False, "as_json": False,
            }
        )  # fmt: skip
        runner = CommandRunner(self._launcher, (options.base,), options.limits)
        return min(runner.run(0)[0].wall_ns / 1e6 for _ in range(31))


@contextmanager
def _neighbour() -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", NEIGHBOUR])
    try:
        yield
    finally:
        process.kill()
        process.wait()
