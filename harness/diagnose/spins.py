"""Functions in which threads spin: their samples come after pause instructions.

A pause instruction (x86 pause, arm64 yield) marks a loop that waits for another thread. A
thread that does nothing else polls for work, which is no wait for a lock; it is left out.
"""

from dataclasses import dataclass

import numpy as np

from harness.waits.analysis import WaitAnalysis
from stallscope.errors import RecordingError
from stallscope.recordings import Recording
from topdown.slots.without_pmu.instruction_kinds import InstructionKind
from topdown.slots.without_pmu.sampled_instructions import SampledInstructions
from topdown.slots.without_pmu.sampled_work import read_sampled_work
from topdown.waits.records import NO_STACK

LEAST_SHARE = 0.05  # of the CPU time
LEAST_THREADS = 2
POLLING_SHARE = 0.98  # of a thread's CPU time in the loop: it has no other work
LEAST_SAMPLES = 5  # of a thread in the function
_PAUSES = ("pause", "yield", "tpause", "wfe")


@dataclass(frozen=True, slots=True)
class Spin:
    """A function in which ``threads`` threads spin; ``share``: of the CPU time of the target."""

    function: str
    share: float
    threads: int


def recorded_spins(recording: Recording, analysis: WaitAnalysis) -> tuple[Spin, ...]:
    """Return the functions that spin; empty if the samples cannot be decoded."""
    try:
        work = read_sampled_work(recording)
    except RecordingError:
        return ()
    if not work.samples:
        return ()
    return spins(work.user, work.samples, analysis)


def spins(user: SampledInstructions, samples: int, analysis: WaitAnalysis) -> tuple[Spin, ...]:
    """Return the functions that spin, by ``samples`` samples of the target; the largest first."""
    paused = dict(user.kinds).get(InstructionKind.PAUSE, 0)
    if paused < LEAST_SHARE * samples:
        return ()
    by_function: dict[str, int] = {}
    for row in user.hottest:
        if row.text.split()[0] in _PAUSES:
            by_function[row.function] = by_function.get(row.function, 0) + row.samples
    result = []
    for function, count in by_function.items():
        threads = _threads(analysis, function, count)
        share = count / samples
        if threads >= LEAST_THREADS and share >= LEAST_SHARE:
            result.append(Spin(function, min(1.0, share), threads))
    return tuple(sorted(result, key=lambda row: -row.share))


def _threads(analysis: WaitAnalysis, function: str, paused: int) -> int:
    """Return the number of threads that run in a function and have other work."""
    samples, names = analysis.records.cpu_samples, analysis.names
    known = samples.stack != NO_STACK
    stacks = np.unique(samples.stack[known]).tolist()
    inside = [stack for stack in stacks if names.user(stack)[:1] == (function,)]
    count = len(analysis.records.threads)
    all_of = np.bincount(samples.thread[known], minlength=count)
    in_function = known & np.isin(samples.stack, inside)
    those = np.bincount(samples.thread[in_function], minlength=count)
    whole = int(those.sum())
    if not whole:
        return 0
    pause_share = min(1.0, paused / whole)
    spinning = (those >= LEAST_SAMPLES) & (those * pause_share < POLLING_SHARE * all_of)
    return int(spinning.sum())
