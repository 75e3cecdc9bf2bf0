"""Samples of kernel code by kernel entry and system call.

Names of entry code: Linux arch/x86/entry and arch/arm64/kernel/entry-common.c, 5.10 to 6.18.
"""

import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.symbolizer import FrameSelection, Symbolizer

if TYPE_CHECKING:
    from stallscope._native import Capture

KERNEL_FRAME = 1  # Capture.frame_kind


class KernelEntry(StrEnum):
    """How the kernel was entered."""

    PAGE_FAULT = "page faults"
    SYSTEM_CALL = "system calls"
    INTERRUPT = "interrupts"
    OTHER = "other"


_PAGE_FAULTS = frozenset(
    ("asm_exc_page_fault", "exc_page_fault", "el0_da", "el0_ia", "el1_abort", "do_mem_abort")
)
_SYSTEM_CALLS = frozenset(
    ("do_syscall_64", "entry_SYSCALL_64_after_hwframe", "entry_SYSCALL_64", "do_int80_syscall_32",
     "do_fast_syscall_32", "el0_svc", "do_el0_svc", "invoke_syscall")
)  # fmt: skip
_INTERRUPT = re.compile(r"asm_sysvec_|asm_common_interrupt|el[01]t?_?64?_(irq|fiq)|el0_(irq|fiq)")
# Functions that switch to another thread or wake one. The switch itself runs with interrupts off,
# so its samples appear at its end, in finish_task_switch.
_SWITCHING = re.compile(
    r"(__schedule|schedule|schedule_idle|preempt_schedule|try_to_wake_up|wake_up_q"
    r"|finish_task_switch|__wake_up_common|__wake_up_sync_key)(\.\w+)*"
)
_CALL = re.compile(r"(?:__(?:x64|ia32|arm64|se)_sys|ksys)_(\w{1,40})")


@dataclass(frozen=True, slots=True)
class KernelSamples:
    """Samples of kernel code by entry, and those in system calls by name of the call.

    ``switching`` counts samples in switching to or waking another thread. ``named`` is False if
    the kernel hides its symbols; then only ``samples`` is known.
    """

    samples: int
    entries: tuple[tuple[KernelEntry, int], ...]
    system_calls: tuple[tuple[str, int], ...]
    switching: int
    named: bool


def kernel_samples(
    capture: "Capture", stacks: npt.NDArray[np.uint32], sources: SymbolSources
) -> KernelSamples:
    """Return the kernel samples of a capture; ``stacks`` (n_kernel_samples,) are their stacks."""
    numbers, counts = np.unique(stacks, return_counts=True)
    chains = [_kernel_frames(capture, number) for number in numbers.tolist()]
    selected = np.zeros(len(capture.frame_kind), np.bool_)
    for chain in chains:
        selected[chain] = True
    symbols = Symbolizer(sources).name_frames(
        capture, FrameSelection(selected, np.zeros_like(selected))
    )
    if symbols.kernel_hidden or not len(stacks):
        return KernelSamples(len(stacks), (), (), 0, named=not symbols.kernel_hidden)
    entries: Counter[KernelEntry] = Counter()
    calls: Counter[str] = Counter()
    switching = 0
    for chain, count in zip(chains, counts.tolist(), strict=True):
        names = [symbols.functions[index].name for index in symbols.function[chain].tolist()]
        entry, call = _kernel_entry(names[::-1])
        entries[entry] += count
        if call:
            calls[call] += count
        if any(_SWITCHING.fullmatch(name) for name in names):
            switching += count
    by_entry, by_call = tuple(entries.most_common()), tuple(calls.most_common())
    return KernelSamples(len(stacks), by_entry, by_call, switching, named=True)


def _kernel_frames(capture: "Capture", stack: int) -> npt.NDArray[np.uint32]:
    begin, end = int(capture.stack_offset[stack]), int(capture.stack_offset[stack + 1])
    frames = capture.stack_frame[begin:end]
    return np.asarray(frames[capture.frame_kind[frames] == KERNEL_FRAME], np.uint32)


def _kernel_entry(names: list[str]) -> tuple[KernelEntry, str]:
    """Return the kernel entry of a chain, outermost function first, and the system call's name.

    The outermost entry counts: an interrupt or page fault within a system call belongs to the
    call.
    """
    for index, name in enumerate(names):
        if name in _PAGE_FAULTS:
            return KernelEntry.PAGE_FAULT, ""
        if name in _SYSTEM_CALLS:
            for inner in names[index:]:
                call = _CALL.fullmatch(inner)
                if call:
                    return KernelEntry.SYSTEM_CALL, call.group(1)
            return KernelEntry.SYSTEM_CALL, ""
        if _INTERRUPT.match(name):
            return KernelEntry.INTERRUPT, ""
    return KernelEntry.OTHER, ""
