"""The diagnosis run on programs whose bottleneck is known: expected against found, row by row."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from harness.labs.kernels.answers import UNEXPLAINED, cut, found_in, is_right
from harness.labs.kernels.known_kernels import KnownKernel, running
from stallscope.collector import CollectorOptions
from stallscope.errors import StallscopeError
from topdown.slots.measurement import Kind, Measurement
from topdown.slots.without_pmu.kernel_findings import CAUSE_NOT_KNOWN
from topdown.slots.without_pmu.observation import observe

OBSERVED_S = 1.0
# A program's own set-up, as filling a ring of the memory's size, comes before what is observed.
_LONGEST_S = 60.0
# What a simulated cache does not see: there the modelled source is to say "unexplained".
NOT_SIMULATED = frozenset({"store-forwarding"})
_SEVERAL_THREADS = (
    "cores that take a line from each other are seen by hardware counters alone; the model "
    "simulates one core"
)
# Kernel counters do not distinguish a contended lock from idle threads in futex.
_FUTEX_ANSWER = "waiting: lock"
_FUTEX_UNKNOWN = f"time in futex is {CAUSE_NOT_KNOWN}"
_NO_MODEL = "no hardware counter can be read, and there is no modelled source here"

Diagnose = Callable[[KnownKernel], Measurement]


class Verdict(StrEnum):
    """What a row comes to. BEYOND: the source cannot tell, and says so; FAILED: it did not run."""

    RIGHT = "right"
    WRONG = "wrong"
    BEYOND = "out of reach"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Row:
    """One program: ``found`` in the words of expected answers, None where nothing was."""

    kernel: KnownKernel
    found: str | None
    kind: Kind
    source: str
    verdict: Verdict
    why: str


@dataclass(frozen=True, slots=True)
class Sources:
    """What can say where slots go, None of what this machine has not; and of all else, what runs.

    ``measured`` counts a program's slots, ``modelled`` simulates it.
    """

    measured: Diagnose | None = None
    modelled: Diagnose | None = None


def rows(
    kernels: tuple[KnownKernel, ...], sources: Sources, on_start: Callable[[KnownKernel], None]
) -> Iterator[Row]:
    """Yield the row of each program as it is done. A program that fails has a row that says why."""
    for kernel in kernels:
        on_start(kernel)
        try:
            yield _row(kernel, sources)
        except StallscopeError as error:
            why = f"{error.message}; {error.remedy}" if error.remedy else error.message
            yield Row(kernel, None, Kind.UNAVAILABLE, "", Verdict.FAILED, why)


def _row(kernel: KnownKernel, sources: Sources) -> Row:
    if not kernel.is_of_slots:
        return _by_kernel(kernel)
    if sources.measured is not None:
        return _by_slots(kernel, sources.measured(kernel))
    if kernel.threads > 1:
        return Row(kernel, None, Kind.UNAVAILABLE, "", Verdict.BEYOND, _SEVERAL_THREADS)
    if sources.modelled is None:
        return Row(kernel, None, Kind.UNAVAILABLE, "", Verdict.BEYOND, _NO_MODEL)
    return _by_slots(kernel, sources.modelled(kernel))


def _by_kernel(kernel: KnownKernel) -> Row:
    """Return the row of a program that samples and the kernel's counters judge."""
    with (
        tempfile.TemporaryDirectory(prefix="stallscope-lab-") as directory,
        running(kernel, _LONGEST_S) as pid,
    ):
        options = CollectorOptions(Path(directory) / "run", pids=(pid,), duration_s=OBSERVED_S)
        finding = observe(options).finding
    source = "kernel counters"
    if finding is None and kernel.expected == _FUTEX_ANSWER:
        return Row(kernel, None, Kind.UNAVAILABLE, source, Verdict.BEYOND, _FUTEX_UNKNOWN)
    if finding is None:
        why = "no finding in samples and kernel counters"
        return Row(kernel, None, Kind.MEASURED, source, Verdict.WRONG, why)
    verdict = Verdict.RIGHT if finding.answer == kernel.expected else Verdict.WRONG
    return Row(kernel, finding.answer, Kind.MEASURED, source, verdict, finding.why)


def _by_slots(kernel: KnownKernel, measurement: Measurement) -> Row:
    found = found_in(measurement)
    source, kind = measurement.source, measurement.kind
    why = measurement.bottleneck_why
    if found is None:
        return Row(kernel, None, kind, source, Verdict.WRONG, why)
    text = cut(found, kernel.expected)
    if kind is Kind.MODELLED and kernel.name in NOT_SIMULATED:
        verdict = Verdict.BEYOND if found == (UNEXPLAINED,) else Verdict.WRONG
        return Row(kernel, text, kind, source, verdict, "no cache simulation sees it")
    right = is_right(kernel.expected, found, measurement)
    return Row(kernel, text, kind, source, Verdict.RIGHT if right else Verdict.WRONG, why)
