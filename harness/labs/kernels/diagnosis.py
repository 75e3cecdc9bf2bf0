"""The diagnosis of each known program by hardware counters, the model or kernel counters."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.labs.kernels.answers import UNEXPLAINED, diagnosed_path, is_right, shortened
from harness.labs.kernels.known_kernels import KnownKernel, running_kernel
from harness.labs.kernels.result import KernelRow, KernelVerdict
from stallscope.collector import CollectorOptions
from stallscope.errors import StallscopeError
from topdown.slots.measurement import Kind, Measurement
from topdown.slots.without_pmu.kernel_findings import CAUSE_NOT_KNOWN, RUN_QUEUE
from topdown.slots.without_pmu.observation import observe

OBSERVED_S = 1.0
# A program first sets up its working set, such as a ring of the memory's size.
_MAX_RUN_S = 60.0
# The simulated cache cannot see these; the modelled source must answer "unexplained".
NOT_SIMULATED = frozenset({"store-forwarding"})
_SEVERAL_THREADS = (
    "only hardware counters see cores that take a cache line from each other; the model simulates "
    "one core"
)
# Kernel counters do not distinguish a contended lock from idle threads in futex.
_LOCK_ANSWER = "waiting: lock"
_FUTEX_UNKNOWN = f"time in futex is {CAUSE_NOT_KNOWN}"
# Threads that spin for a lock are ready or run; nothing shows what they wait for.
_SPINNING_UNKNOWN = "kernel counters show threads that wait for a CPU, not that one holds a lock"
_NO_SOURCE = "no hardware counter can be read, and there is no modelled source here"

Diagnose = Callable[[KnownKernel], Measurement]


@dataclass(frozen=True, slots=True)
class SlotSources:
    """The sources of slots on this machine; None if unavailable."""

    measured: Diagnose | None = None  # hardware counters
    modelled: Diagnose | None = None  # simulation


def diagnose_kernels(
    kernels: tuple[KnownKernel, ...],
    sources: SlotSources,
    on_start: Callable[[KnownKernel], None],
) -> Iterator[KernelRow]:
    """Yield the row of each program as it is diagnosed; a failure is a row with the reason."""
    for kernel in kernels:
        on_start(kernel)
        try:
            yield _diagnose(kernel, sources)
        except StallscopeError as error:
            why = f"{error.message}; {error.remedy}" if error.remedy else error.message
            yield _row(kernel, KernelVerdict.FAILED, why)


def _row(
    kernel: KnownKernel,
    verdict: KernelVerdict,
    why: str,
    *,
    answer: str | None = None,
    kind: Kind = Kind.UNAVAILABLE,
    source: str = "",
) -> KernelRow:
    return KernelRow(
        kernel=kernel.name,
        expected=kernel.expected,
        answer=answer,
        kind=kind,
        source=source,
        verdict=verdict,
        why=why,
        held_out=kernel.held_out,
    )


def _diagnose(kernel: KnownKernel, sources: SlotSources) -> KernelRow:
    if not kernel.is_slot_answer:
        return _by_kernel_counters(kernel)
    if sources.measured is not None:
        return _by_slots(kernel, sources.measured(kernel))
    if kernel.threads > 1:
        return _row(kernel, KernelVerdict.BEYOND, _SEVERAL_THREADS)
    if sources.modelled is None:
        return _row(kernel, KernelVerdict.BEYOND, _NO_SOURCE)
    return _by_slots(kernel, sources.modelled(kernel))


def _by_kernel_counters(kernel: KnownKernel) -> KernelRow:
    """Return the row of a program that samples and kernel counters diagnose."""
    with (
        tempfile.TemporaryDirectory(prefix="stallscope-lab-") as directory,
        running_kernel(kernel, _MAX_RUN_S) as pid,
    ):
        options = CollectorOptions(Path(directory) / "run", pids=(pid,), duration_s=OBSERVED_S)
        finding = observe(options).finding
    source = "kernel counters"
    if kernel.expected == _LOCK_ANSWER and (finding is None or finding.answer == RUN_QUEUE):
        why = _FUTEX_UNKNOWN if finding is None else _SPINNING_UNKNOWN
        return _row(kernel, KernelVerdict.BEYOND, why, source=source)
    if finding is None:
        why = "no finding in samples and kernel counters"
        return _row(kernel, KernelVerdict.WRONG, why, kind=Kind.MEASURED, source=source)
    is_expected = finding.answer == kernel.expected
    verdict = KernelVerdict.RIGHT if is_expected else KernelVerdict.WRONG
    return _row(
        kernel, verdict, finding.why, answer=finding.answer, kind=Kind.MEASURED, source=source
    )


def _by_slots(kernel: KnownKernel, measurement: Measurement) -> KernelRow:
    path = diagnosed_path(measurement)
    source, kind = measurement.source, measurement.kind
    why = measurement.bottleneck_why
    if path is None:
        return _row(kernel, KernelVerdict.WRONG, why, kind=kind, source=source)
    answer = shortened(path, kernel.expected)
    if kind is Kind.MODELLED and kernel.name in NOT_SIMULATED:
        is_honest = path == (UNEXPLAINED,)
        verdict = KernelVerdict.BEYOND if is_honest else KernelVerdict.WRONG
        why = "no cache simulation sees it"
        return _row(kernel, verdict, why, answer=answer, kind=kind, source=source)
    right = is_right(kernel.expected, path, measurement)
    verdict = KernelVerdict.RIGHT if right else KernelVerdict.WRONG
    return _row(kernel, verdict, why, answer=answer, kind=kind, source=source)
