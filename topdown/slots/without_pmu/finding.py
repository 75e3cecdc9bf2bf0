"""What kernel counters and samples point at where no slot can be counted, if they do.

Only what happens in the kernel or off the CPU is pointed at: faults, system calls, switches,
waiting. Which slots a user program's own code loses cannot be told from here. The limits are
round numbers: each stands far from both sides of what it parts in the known kernels
(docs/kernels.md), and a program between them is not named.
"""

from dataclasses import dataclass

from topdown.slots.without_pmu.kernel_samples import KernelEntry
from topdown.slots.without_pmu.process_watch import KernelCounters
from topdown.slots.without_pmu.sampled_work import SampledWork
from topdown.slots.without_pmu.shares import Share

PAGE_FAULTS = "kernel: page faults"
SYSTEM_CALLS = "kernel: system calls"
SWITCHES = "kernel: context switches"
LOCK = "waiting: lock"
SLEEP = "waiting: sleep"
RUN_QUEUE = "waiting: run queue"

LEAST_SAMPLES = 100
LEAST_LOOKS = 10
# Of samples, in giving the CPU away and waking others. Threads that hand each other work and sleep
# spend a third or more so; a herd, of which most wake for nothing, nearly all.
LEAST_SWITCHING_SHARE = 0.25
HERD_SWITCHING_SHARE = 0.6
HERD_KERNEL_SHARE = 0.8
# Where no kernel code was sampled: a switch there and back takes 2 to 5 us, and up to 25 where the
# sampling clock is set anew at each.
SWITCH_BOUND_S = 50e-6
SWITCH_BOUND_KERNEL_SHARE = 0.7
# A waiter that is handed what it waits for gets it soon; an idle one waits for longer than this.
LONGEST_LOCK_WAIT_S = 10e-3
LEAST_LOCK_SHARE = 0.2
FUTEX = "futex"
_HALF = 0.5
# Where no kernel code was sampled: a minor fault takes 0.5 to 2 us.
FAULT_BOUND_PER_S = 300_000


@dataclass(frozen=True, slots=True)
class Finding:
    """What stands out, as an answer of docs/kernels.md, and by what."""

    answer: str
    why: str


def find(counters: KernelCounters, work: SampledWork | None) -> Finding | None:
    """Return what stands out, None where nothing that is seen from here does."""
    cpu_s = _cpu_s(counters)
    if cpu_s > 0:
        found = _faults(counters, work, cpu_s) or _switches(counters, work, cpu_s)
        if found is not None:
            return found
    found = _lock(counters, cpu_s)
    if found is None and cpu_s > 0:
        found = _system_calls(counters, work)
    return found or _sleep(counters, cpu_s)


def crowded(counters: KernelCounters) -> Finding | None:
    """Return that others had the CPUs for most of the time in which threads could run, else None.

    It is of the machine, not of the program: said only where nothing of the program stands out.
    """
    queued_s, cpu_s = counters.queued_s, _cpu_s(counters)
    if not queued_s or queued_s < _HALF * (queued_s + cpu_s) or counters.looks < LEAST_LOOKS:
        return None
    why = (
        f"threads were ready, and no CPU was free, {queued_s / (queued_s + cpu_s):.0%} of the time "
        "in which they could run; stallscope profile -a says who ran"
    )
    return Finding(RUN_QUEUE, why)


def _cpu_s(counters: KernelCounters) -> float:
    if counters.on_cpu_s is not None:
        return counters.on_cpu_s
    return counters.user_s + counters.system_s


def kernel_share(counters: KernelCounters, work: SampledWork | None) -> float | None:
    """Return the kernel's share of CPU time: of samples where there are enough, else by its clock.

    None where there are neither.
    """
    if work is not None and work.kernel is not None and work.samples >= LEAST_SAMPLES:
        return work.kernel.samples / work.samples
    both = counters.user_s + counters.system_s
    return counters.system_s / both if both > 0 else None


def _entries(work: SampledWork | None, entry: KernelEntry) -> Share | None:
    """Return the share of all samples in the kernel by this entry; None where it is not known."""
    if work is None or work.kernel is None or not work.kernel.named:
        return None
    if work.samples < LEAST_SAMPLES:
        return None
    return Share(dict(work.kernel.entries).get(entry, 0), work.samples)


def _faults(counters: KernelCounters, work: SampledWork | None, cpu_s: float) -> Finding | None:
    faults = counters.minor_faults + counters.major_faults
    rate = f"{faults / cpu_s:,.0f} faults a second of CPU time"
    share = _entries(work, KernelEntry.PAGE_FAULT)
    if share is None:
        system = kernel_share(counters, work) or 0.0
        if system < _HALF or faults < FAULT_BOUND_PER_S * cpu_s:
            return None
        return Finding(PAGE_FAULTS, f"{system:.0%} of CPU time is the kernel's, {rate}")
    if share.interval.low < _HALF:
        return None
    return Finding(PAGE_FAULTS, f"{share.text()} of samples are in page faults, {rate}")


def _switches(counters: KernelCounters, work: SampledWork | None, cpu_s: float) -> Finding | None:
    share, switches = kernel_share(counters, work), counters.voluntary_switches
    if not switches or share is None:
        return None
    place = _usual_wait(counters)
    in_futex = FUTEX in place
    least = HERD_SWITCHING_SHARE if in_futex else LEAST_SWITCHING_SHARE
    switching = _switching(work)
    if switching is None:
        spent = cpu_s <= SWITCH_BOUND_S * switches and share >= SWITCH_BOUND_KERNEL_SHARE
    else:
        spent = switching.interval.low >= least and (share >= HERD_KERNEL_SHARE or not in_futex)
    if not spent:
        return None
    why = f"a thread sleeps again after {1e6 * cpu_s / switches:.1f} us of CPU time"
    if switching is not None:
        why += f", {switching.text()} of samples are in going to sleep and waking others"
    why += f"; threads sleep in {place or 'places that the kernel does not name'}"
    return Finding(SWITCHES if in_futex else SLEEP, why)


def _switching(work: SampledWork | None) -> Share | None:
    """Return the share of samples that switch threads; None where it is not known."""
    if work is None or work.kernel is None or not work.kernel.named:
        return None
    return Share(work.kernel.switching, work.samples) if work.samples >= LEAST_SAMPLES else None


def _usual_wait(counters: KernelCounters) -> str:
    """Return the kernel's function in which threads were found waiting most, empty if unknown."""
    return next((name for name, _ in counters.waits_in if name), "")


def waiting_s(counters: KernelCounters) -> float | None:
    """Return the time that threads neither ran nor were queued; None where it is not known."""
    if counters.on_cpu_s is None or counters.queued_s is None:
        return None
    return max(0.0, counters.thread_s - counters.on_cpu_s - counters.queued_s)


def _lock(counters: KernelCounters, cpu_s: float) -> Finding | None:
    wait_s, switches = waiting_s(counters), counters.voluntary_switches
    if not wait_s or not switches or counters.looks < LEAST_LOOKS:
        return None
    share = wait_s / (wait_s + cpu_s)
    each_s = wait_s / switches
    named = sum(count for name, count in counters.waits_in if name)
    in_futex = sum(count for name, count in counters.waits_in if FUTEX in name)
    if share < LEAST_LOCK_SHARE or each_s > LONGEST_LOCK_WAIT_S or 2 * in_futex <= named:
        return None
    why = (
        f"threads wait {share:.0%} of the time in which they could run, {each_s * 1e6:,.0f} us at "
        "a time, in futex: a lock or a condition that others hold; which of both is not told"
    )
    return Finding(LOCK, why)


def _system_calls(counters: KernelCounters, work: SampledWork | None) -> Finding | None:
    share = _entries(work, KernelEntry.SYSTEM_CALL)
    if share is not None:
        if share.interval.low < _HALF:
            return None
        return Finding(SYSTEM_CALLS, f"{share.text()} of samples are in system calls")
    system = kernel_share(counters, work)
    if system is None or system < _HALF:
        return None
    why = f"{system:.0%} of CPU time is the kernel's, neither for faults nor for switches"
    return Finding(SYSTEM_CALLS, why)


def _sleep(counters: KernelCounters, cpu_s: float) -> Finding | None:
    wait_s = waiting_s(counters)
    if not wait_s or wait_s < _HALF * (wait_s + cpu_s) or counters.looks < LEAST_LOOKS:
        return None
    place = _usual_wait(counters)
    why = f"threads wait {wait_s / (wait_s + cpu_s):.0%} of the time in which they could run"
    return Finding(SLEEP, f"{why}, most often in {place}" if place else why)
