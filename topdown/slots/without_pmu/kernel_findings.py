"""What kernel counters and samples identify as dominant when no slots can be counted.

Only activity in the kernel or off the CPU is identified: faults, system calls, context switches,
sleep. The slots that user code loses cannot be derived from these sources. The limits are round
numbers, each far from both groups of known programs that it separates (docs/kernels.md); a program
between them gets no finding.

Waiting in futex never leads to a finding. A contended lock, a condition variable and an idle
worker thread all wait there, and neither kernel counters nor samples distinguish them.
"""

from dataclasses import dataclass

from topdown.slots.without_pmu.kernel_samples import KernelEntry
from topdown.slots.without_pmu.process_watch import KernelCounters
from topdown.slots.without_pmu.sampled_work import SampledWork
from topdown.slots.without_pmu.shares import Share

PAGE_FAULTS = "kernel: page faults"
SYSTEM_CALLS = "kernel: system calls"
SWITCHES = "kernel: context switches"
SLEEP = "waiting: sleep"
RUN_QUEUE = "waiting: run queue"
CAUSE_NOT_KNOWN = "waiting, cause not known"

MIN_SAMPLES = 100
MIN_SNAPSHOTS = 10
# Share of samples in switching threads. Threads that pass work to each other and sleep spend at
# least a third there; a thundering herd, whose threads mostly wake for nothing, nearly all.
MIN_SWITCHING_SHARE = 0.25
MIN_HERD_SWITCHING_SHARE = 0.6
MIN_HERD_KERNEL_SHARE = 0.8
# Used if kernel code was not sampled. A switch away and back takes 2 to 5 us, and up to 25 us if
# the sampling clock is reprogrammed at each switch.
MAX_CPU_TIME_PER_SWITCH_S = 50e-6
MIN_SWITCHING_KERNEL_SHARE = 0.7
FUTEX = "futex"
_HALF = 0.5
# Used if kernel code was not sampled. A minor fault takes 0.5 to 2 us.
MIN_FAULTS_PER_S = 300_000


@dataclass(frozen=True, slots=True)
class KernelFinding:
    """The dominant activity, as an answer of docs/kernels.md, with the evidence for it."""

    answer: str
    why: str


def find(counters: KernelCounters, work: SampledWork | None) -> KernelFinding | None:
    """Return the dominant activity, or None if these sources show none."""
    cpu_s = _cpu_s(counters)
    if cpu_s > 0:
        finding = (
            _page_faults(counters, work, cpu_s)
            or _switches(counters, work, cpu_s)
            or _system_calls(counters, work)
        )
        if finding is not None:
            return finding
    return _sleeping_threads(counters, cpu_s)


def run_queue_finding(counters: KernelCounters) -> KernelFinding | None:
    """Return the finding that other programs occupied the CPUs most of the time, or None.

    It describes the machine and not the program: use it only if the program has no finding.
    """
    queued_s, cpu_s = counters.queued_s, _cpu_s(counters)
    if not queued_s or counters.snapshots < MIN_SNAPSHOTS:
        return None
    queued_share = queued_s / (queued_s + cpu_s)
    if queued_share < _HALF:
        return None
    why = (
        f"threads were ready, and no CPU was free, {queued_share:.0%} of the time in which they "
        "could run; stallscope profile -a shows which programs ran"
    )
    return KernelFinding(RUN_QUEUE, why)


def _cpu_s(counters: KernelCounters) -> float:
    if counters.on_cpu_s is not None:
        return counters.on_cpu_s
    return counters.user_s + counters.system_s


def kernel_share(counters: KernelCounters, work: SampledWork | None) -> float | None:
    """Return the kernel's share of CPU time, 0..1, or None if it is not known.

    It is a share of samples if there are enough, else of the time that the kernel accounted.
    """
    if work is not None and work.kernel is not None and work.samples >= MIN_SAMPLES:
        return work.kernel.samples / work.samples
    cpu_s = counters.user_s + counters.system_s
    return counters.system_s / cpu_s if cpu_s > 0 else None


def _entry_share(work: SampledWork | None, entry: KernelEntry) -> Share | None:
    """Return the share of samples in the kernel through an entry, or None if it is not known."""
    if work is None or work.kernel is None or not work.kernel.named:
        return None
    if work.samples < MIN_SAMPLES:
        return None
    return Share(dict(work.kernel.entries).get(entry, 0), work.samples)


def _page_faults(
    counters: KernelCounters, work: SampledWork | None, cpu_s: float
) -> KernelFinding | None:
    faults = counters.minor_faults + counters.major_faults
    rate = f"{faults / cpu_s:,.0f} faults per second of CPU time"
    share = _entry_share(work, KernelEntry.PAGE_FAULT)
    if share is None:
        system_share = kernel_share(counters, work) or 0.0
        if system_share < _HALF or faults < MIN_FAULTS_PER_S * cpu_s:
            return None
        return KernelFinding(
            PAGE_FAULTS, f"{system_share:.0%} of CPU time is in the kernel, {rate}"
        )
    if share.interval.low < _HALF:
        return None
    return KernelFinding(PAGE_FAULTS, f"{share.text()} of samples are in page faults, {rate}")


def _switches(
    counters: KernelCounters, work: SampledWork | None, cpu_s: float
) -> KernelFinding | None:
    share, switches = kernel_share(counters, work), counters.voluntary_switches
    if not switches or share is None:
        return None
    wait_channel = _most_common_wait(counters)
    in_futex = FUTEX in wait_channel
    min_share = MIN_HERD_SWITCHING_SHARE if in_futex else MIN_SWITCHING_SHARE
    switching = _switching_share(work)
    if switching is None:
        dominant = (
            cpu_s <= MAX_CPU_TIME_PER_SWITCH_S * switches and share >= MIN_SWITCHING_KERNEL_SHARE
        )
    else:
        dominant = switching.interval.low >= min_share and (
            share >= MIN_HERD_KERNEL_SHARE or not in_futex
        )
    if not dominant:
        return None
    why = f"a thread sleeps again after {1e6 * cpu_s / switches:.1f} us of CPU time"
    if switching is not None:
        why += f", {switching.text()} of samples are in going to sleep and waking other threads"
    why += f"; threads sleep in {wait_channel or 'places that the kernel does not name'}"
    return KernelFinding(SWITCHES if in_futex else SLEEP, why)


def _switching_share(work: SampledWork | None) -> Share | None:
    """Return the share of samples in switching threads, or None if it is not known."""
    if work is None or work.kernel is None or not work.kernel.named:
        return None
    return Share(work.kernel.switching, work.samples) if work.samples >= MIN_SAMPLES else None


def _most_common_wait(counters: KernelCounters) -> str:
    """Return the kernel function in which most waiting threads were seen, empty if unknown."""
    return next((name for name, _ in counters.waits_in if name), "")


def waiting_s(counters: KernelCounters) -> float | None:
    """Return the time that threads neither ran nor were queued, or None if it is not known."""
    if counters.on_cpu_s is None or counters.queued_s is None:
        return None
    return max(0.0, counters.thread_s - counters.on_cpu_s - counters.queued_s)


def futex_share(counters: KernelCounters) -> float:
    """Return the share of snapshots of waiting threads that are in a futex call, 0..1."""
    snapshots = sum(count for _, count in counters.waits_in)
    in_futex = sum(count for name, count in counters.waits_in if FUTEX in name)
    return in_futex / snapshots if snapshots else 0.0


def _system_calls(counters: KernelCounters, work: SampledWork | None) -> KernelFinding | None:
    share = _entry_share(work, KernelEntry.SYSTEM_CALL)
    if share is not None:
        if share.interval.low < _HALF:
            return None
        return KernelFinding(SYSTEM_CALLS, f"{share.text()} of samples are in system calls")
    system_share = kernel_share(counters, work)
    if system_share is None or system_share < _HALF:
        return None
    why = f"{system_share:.0%} of CPU time is in the kernel, neither for faults nor for switches"
    return KernelFinding(SYSTEM_CALLS, why)


def _sleeping_threads(counters: KernelCounters, cpu_s: float) -> KernelFinding | None:
    """Return the finding that threads mostly sleep; time in futex does not count."""
    all_waits_s = waiting_s(counters)
    if all_waits_s is None or counters.snapshots < MIN_SNAPSHOTS:
        return None
    sleep_s = all_waits_s * (1 - futex_share(counters))
    if not sleep_s or sleep_s < _HALF * (all_waits_s + cpu_s):
        return None
    sleep_share = sleep_s / (all_waits_s + cpu_s)
    wait_channel = next((name for name, _ in counters.waits_in if name and FUTEX not in name), "")
    why = f"threads sleep {sleep_share:.0%} of the time in which they could run"
    return KernelFinding(SLEEP, f"{why}, most often in {wait_channel}" if wait_channel else why)
