"""What the host's core takes for known work: cycles a second, loads of each level, divisions.

Measured with stallscope-kernels, the least of a few short runs: time that others took of a shared
core only adds. A dependent addition takes one cycle on every core; so an addition's time is the
cycle's, at the frequency that the core has under work.
"""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from stallscope.errors import RecordingError, UnableError
from stallscope.json_fields import Fields
from stallscope.programs import program
from topdown.slots.modelled.constants import Core
from topdown.slots.modelled.pipeline import Host

ADDITIONS = 30  # of one iteration of dependent-chain
LINES_OF_STRAIGHT_CODE = 37_440 * 56 / 64
SLOTS_OF_A_LINE = 64 / 7
WRONG_SHARE = 0.5  # of the branches of random-branches
DIVISION_COMPANIONS = 2  # cycles of the shift and the exclusive or in a turn of divide-chain
TIMEOUT_S = 60
MOST_OUTPUT_BYTES = 65_536
_RUNS = {
    "dependent-chain": (1_000_000, 3),
    "divide-chain": (500_000, 2),
    "pointer-chase-l1": (4_000_000, 2),
    "pointer-chase-l2": (1_000_000, 2),
    "pointer-chase-l3": (1_000_000, 2),
    "pointer-chase-dram": (400_000, 1),
    "streaming": (4_000_000, 1),
    "random-branches": (1_000_000, 2),
    "periodic-branches": (2_000_000, 2),
    "large-straight-code": (30, 2),
}


@dataclass(frozen=True, slots=True)
class KernelTimes:
    """Runs the known kernels of one installation."""

    kernels: Path

    @classmethod
    def installed(cls) -> "KernelTimes":
        """Return those of the kernels that are part of this installation."""
        return cls(program("stallscope-kernels"))

    def seconds(self, kernel: str) -> float:
        """Return the CPU time of one iteration; UnableError where the kernel fails."""
        iterations, repeats = _RUNS[kernel]
        return min(self._run(kernel, iterations) for _ in range(repeats))

    def frequency_hz(self) -> float:
        """Return cycles a second, by additions that each wait for the one before."""
        return ADDITIONS / self.seconds("dependent-chain")

    def _run(self, kernel: str, iterations: int) -> float:
        words = [str(self.kernels), kernel, "--iterations", str(iterations), "--json"]
        try:
            done = subprocess.run(
                words, capture_output=True, timeout=TIMEOUT_S, check=True, stdin=subprocess.DEVNULL
            )
            fields = Fields(json.loads(done.stdout[:MOST_OUTPUT_BYTES]), kernel)
            spent, made = fields.count("cpu_ns"), fields.count("iterations")
        except (
            OSError,
            subprocess.SubprocessError,
            ValueError,
            TypeError,
            RecordingError,
        ) as error:
            raise UnableError(
                f"the host's times cannot be measured: {kernel}: {error}",
                "see whether `stallscope-kernels dependent-chain --iterations 1000000` runs",
            ) from error
        if not spent or not made:
            raise UnableError(
                f"the host's times cannot be measured: {kernel} took no CPU time",
                "see whether the machine's CPU clock runs",
            )
        return spent / made / 1e9


def measure_host(times: KernelTimes, core: Core, *, memory: bool) -> Host:
    """Return the host's times in cycles; beyond the first level only where ``memory`` asks.

    Without, the constants' values stand for them.
    """
    frequency = times.frequency_hz()
    divide = times.seconds("divide-chain") * frequency - DIVISION_COMPANIONS
    loads = [times.seconds("pointer-chase-l1") * frequency, *core.load_cycles]
    line = core.dram_line_cycles
    if memory:
        for level, name in enumerate(("l2", "l3", "dram"), 1):
            measured = times.seconds(f"pointer-chase-{name}") * frequency
            loads[level] = max(measured, loads[level - 1])
        line = times.seconds("streaming") * frequency
    wrong = times.seconds("random-branches") - times.seconds("periodic-branches")
    return Host(
        frequency_hz=frequency,
        load_cycles=(loads[0], loads[1], loads[2], loads[3]),
        dram_line_cycles=line,
        code_line_cycles=_code_line(times, core, frequency) if memory else core.code_line_cycles,
        divide64_cycles=max(1.0, divide),
        mispredict_cycles=max(1.0, wrong * frequency / WRONG_SHARE - core.resolve_cycles),
    )


def _code_line(times: KernelTimes, core: Core, frequency: float) -> float:
    """Return cycles of a further line of straight code, beyond those of its slots."""
    line = times.seconds("large-straight-code") * frequency / LINES_OF_STRAIGHT_CODE
    return max(1.0, line - SLOTS_OF_A_LINE / core.width)
