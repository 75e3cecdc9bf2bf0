"""Observations of programs with a known activity."""

from dataclasses import replace

from topdown.slots.without_pmu.instruction_kinds import InstructionKind
from topdown.slots.without_pmu.kernel_samples import KernelEntry, KernelSamples
from topdown.slots.without_pmu.process_watch import KernelCounters
from topdown.slots.without_pmu.sampled_instructions import HotInstruction, SampledInstructions
from topdown.slots.without_pmu.sampled_work import SampledWork

# One thread that computes for two seconds.
COMPUTING = KernelCounters(
    elapsed_s=2.0, threads=1, thread_s=2.0, user_s=1.98, system_s=0.0, minor_faults=3,
    major_faults=0, on_cpu_s=1.98, queued_s=0.02, voluntary_switches=2, involuntary_switches=20,
    migrations=1, disk_wait_s=None, steal_share=0.0, snapshots=40, waiting_snapshots=0, waits_in=(),
)  # fmt: skip


def work(user: int, *, faults: int = 0, calls: int = 0, switching: int = 0) -> SampledWork:
    loads = ((InstructionKind.LOAD, user),) if user else ()
    entries = ((KernelEntry.PAGE_FAULT, faults), (KernelEntry.SYSTEM_CALL, calls))
    kernel = KernelSamples(faults + calls, entries, (("futex", calls),), switching, named=True)
    hottest = (HotInstruction("mov rax, [rax]", "walk", user),)
    samples = user + faults + calls
    return SampledWork(samples, 0, "cpu-clock", SampledInstructions(loads, 0, 0, hottest), kernel)


FAULTING = replace(COMPUTING, user_s=0.1, system_s=1.88, minor_faults=1_000_000)
CALLING = replace(COMPUTING, user_s=0.2, system_s=1.78)

HERD = replace(
    COMPUTING, threads=16, thread_s=32.0, user_s=0.1, system_s=1.8, on_cpu_s=1.9, queued_s=10.0,
    voluntary_switches=150_000, snapshots=300, waiting_snapshots=150, waits_in=(("futex_do_wait", 150),),
)  # fmt: skip

PASSING = replace(
    COMPUTING, threads=2, thread_s=4.0, user_s=0.1, system_s=1.1, on_cpu_s=1.2, queued_s=1.0,
    voluntary_switches=60_000, snapshots=80, waiting_snapshots=40,
    waits_in=(("poll_schedule_timeout", 39), ("", 1)),
)  # fmt: skip
