"""Measured times of the host's core: frequency, loads of each level, divisions.

The measurement uses stallscope-kernels and takes the minimum of a few short runs, because other
programs on a shared core only add time. A dependent addition takes one cycle on every core, so its
time is the cycle time at the frequency under load.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from stallscope.documents import Count, Record, decode
from stallscope.errors import RecordingError, UnableError
from stallscope.programs import program
from topdown.slots.modelled.constants import Core
from topdown.slots.modelled.pipeline import ModelledHost

ADDITIONS = 30  # per iteration of dependent-chain
LINES_OF_STRAIGHT_CODE = 37_440 * 56 / 64
SLOTS_OF_A_LINE = 64 / 7
MISPREDICTED_SHARE = 0.5  # of the branches of random-branches
DIVIDE_LOOP_CYCLES = 2  # of the shift and the exclusive or in an iteration of divide-chain
TIMEOUT_S = 60
MAX_OUTPUT_BYTES = 65_536
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


class _KernelReport(Record, frozen=True):
    cpu_ns: Count
    iterations: Count


@dataclass(frozen=True, slots=True)
class KernelTimes:
    """Runs the kernels of one installation."""

    kernels: Path

    @classmethod
    def installed(cls) -> "KernelTimes":
        """Return the times of this installation's kernels."""
        return cls(program("stallscope-kernels"))

    def seconds(self, kernel: str) -> float:
        """Return the CPU time of one iteration. Raises UnableError if the kernel fails."""
        iterations, repeats = _RUNS[kernel]
        return min(self._run(kernel, iterations) for _ in range(repeats))

    def frequency_hz(self) -> float:
        """Return the core frequency, measured by dependent additions."""
        return ADDITIONS / self.seconds("dependent-chain")

    def _run(self, kernel: str, iterations: int) -> float:
        words = [str(self.kernels), kernel, "--iterations", str(iterations), "--json"]
        try:
            finished = subprocess.run(
                words, capture_output=True, timeout=TIMEOUT_S, check=True, stdin=subprocess.DEVNULL
            )
            report = decode(finished.stdout[:MAX_OUTPUT_BYTES], _KernelReport, kernel)
        except (
            OSError,
            subprocess.SubprocessError,
            RecordingError,
        ) as error:
            raise UnableError(
                f"the host's times cannot be measured: {kernel}: {error}",
                "run `stallscope-kernels dependent-chain --iterations 1000000` to see the error",
            ) from error
        if not report.cpu_ns or not report.iterations:
            raise UnableError(
                f"the host's times cannot be measured: {kernel} took no CPU time",
                "check the machine's CPU clock",
            )
        return report.cpu_ns / report.iterations / 1e9


def measure_host(times: KernelTimes, core: Core, *, memory: bool) -> ModelledHost:
    """Return the host's times in cycles.

    Without ``memory``, the times beyond the first level are constants.
    """
    frequency = times.frequency_hz()
    divide = times.seconds("divide-chain") * frequency - DIVIDE_LOOP_CYCLES
    loads = [times.seconds("pointer-chase-l1") * frequency, *core.load_cycles]
    line = core.dram_line_cycles
    if memory:
        for level, name in enumerate(("l2", "l3", "dram"), 1):
            measured = times.seconds(f"pointer-chase-{name}") * frequency
            loads[level] = max(measured, loads[level - 1])
        line = times.seconds("streaming") * frequency
    extra_s = times.seconds("random-branches") - times.seconds("periodic-branches")
    return ModelledHost(
        frequency_hz=frequency,
        load_cycles=(loads[0], loads[1], loads[2], loads[3]),
        dram_line_cycles=line,
        code_line_cycles=_code_line(times, core, frequency) if memory else core.code_line_cycles,
        divide64_cycles=max(1.0, divide),
        mispredict_cycles=max(1.0, extra_s * frequency / MISPREDICTED_SHARE - core.resolve_cycles),
    )


def _code_line(times: KernelTimes, core: Core, frequency: float) -> float:
    """Return the cycles of a line of straight code beyond the cycles of its slots."""
    line = times.seconds("large-straight-code") * frequency / LINES_OF_STRAIGHT_CODE
    return max(1.0, line - SLOTS_OF_A_LINE / core.width)
