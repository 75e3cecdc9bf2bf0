"""Kernel entries of function chains on both architectures."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from topdown.slots.without_pmu.kernel_samples import KernelEntry, KernelSamples, kernel_samples
from topdown.stacks.symbols.sources import SymbolSources

BASE, SIZE = 0xFFFF_8000_0000_0000, 0x100


def kernel_samples_of(directory: Path, *chains: str, hidden: bool = False) -> KernelSamples:
    """One sample per chain, functions from the entry inwards, below one user frame."""
    names = list(dict.fromkeys(name for chain in chains for name in chain.split()))
    places = {name: 0 if hidden else BASE + SIZE * number for number, name in enumerate(names)}
    text = "".join(f"{place:016x} T {name}\n" for name, place in places.items())
    (directory / "kallsyms").write_text(text + f"{0 if hidden else BASE + 1 << 20:016x} T _end\n")
    frames = [0x400, *(BASE + SIZE * number + 8 for number in range(len(names)))]
    stacks, offsets = [], [0]
    for chain in chains:
        stacks += [names.index(name) + 1 for name in reversed(chain.split())] + [0]
        offsets.append(len(stacks))
    capture = SimpleNamespace(
        objects=[SimpleNamespace(kernel=True, build_id=b"", start=BASE, path=b"[kernel.kallsyms]")],
        stack_offset=np.array(offsets, np.uint64),
        stack_frame=np.array(stacks, np.uint32),
        frame_object=np.array([-1] + [0] * len(names), np.int32),
        frame_address=np.array(frames, np.uint64),
        frame_kind=np.array([0] + [1] * len(names), np.uint8),
    )
    sources = SymbolSources(recording=directory)
    numbers = np.arange(len(chains), dtype=np.uint32)
    return kernel_samples(cast("Any", capture), numbers, sources)


@pytest.mark.parametrize(
    ("chain", "entry"),
    [
        ("asm_exc_page_fault exc_page_fault handle_mm_fault", KernelEntry.PAGE_FAULT),
        ("entry_SYSCALL_64_after_hwframe do_syscall_64 ksys_read vfs_read", KernelEntry.SYSTEM_CALL),
        ("asm_sysvec_apic_timer_interrupt irqentry_exit", KernelEntry.INTERRUPT),
        ("asm_common_interrupt common_interrupt", KernelEntry.INTERRUPT),
        ("ret_from_fork_asm ret_from_fork schedule_tail", KernelEntry.OTHER),
        ("el0t_64_sync el0t_64_sync_handler el0_da do_mem_abort", KernelEntry.PAGE_FAULT),
        ("el0t_64_sync el0t_64_sync_handler el0_svc do_el0_svc __arm64_sys_futex", KernelEntry.SYSTEM_CALL),
        ("el0t_64_irq el0_irq handle_softirqs", KernelEntry.INTERRUPT),
    ],
)  # fmt: skip
def test_the_outermost_entry_counts(tmp_path: Path, chain: str, entry: KernelEntry) -> None:
    assert kernel_samples_of(tmp_path, chain).entries == ((entry, 1),)


def test_an_interrupt_within_a_system_call_counts_as_the_call(tmp_path: Path) -> None:
    samples = kernel_samples_of(
        tmp_path, "do_syscall_64 __x64_sys_write asm_sysvec_apic_timer_interrupt"
    )
    assert samples.entries == ((KernelEntry.SYSTEM_CALL, 1),)


def test_system_calls_are_named_by_their_kernel_functions(tmp_path: Path) -> None:
    samples = kernel_samples_of(
        tmp_path,
        "do_syscall_64 ksys_read vfs_read",
        "do_syscall_64 ksys_read anon_pipe_read",
        "do_el0_svc invoke_syscall __arm64_sys_futex",
        "do_syscall_64",
    )
    assert samples.system_calls == (("read", 2), ("futex", 1))


def test_samples_of_sleeping_and_waking_are_counted(tmp_path: Path) -> None:
    samples = kernel_samples_of(
        tmp_path,
        "do_syscall_64 __x64_sys_futex schedule __schedule finish_task_switch.isra.0",
        "do_syscall_64 __x64_sys_futex futex_wake wake_up_q try_to_wake_up",
        "do_syscall_64 __x64_sys_futex futex_hash",
        "do_syscall_64 schedule_hrtimeout_range_clock",
    )
    assert (samples.samples, samples.switching) == (4, 2)


def test_hidden_kernel_symbols_are_reported(tmp_path: Path) -> None:
    samples = kernel_samples_of(tmp_path, "do_syscall_64 ksys_read", hidden=True)
    assert (samples.samples, samples.named, samples.entries) == (1, False, ())
