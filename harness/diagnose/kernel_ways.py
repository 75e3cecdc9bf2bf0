"""The ways of CPU samples into the kernel: page faults, system calls, and swapping."""

import re
from dataclasses import dataclass

from topdown.stacks.profile import Function, FunctionKind, Profile

FAULT, CALL, SWAP = "fault", "call", "swap"
_FAULTS = frozenset(("asm_exc_page_fault", "exc_page_fault", "do_mem_abort", "do_page_fault"))
# Functions that read pages back from swap, and those that free pages.
_SWAPS = frozenset(
    (
        "do_swap_page",
        "swapin_readahead",
        "swap_read_folio",
        "try_to_free_pages",
        "try_to_free_mem_cgroup_pages",
        "do_try_to_free_pages",
        "shrink_node",
    )
)
_CALLS = frozenset(("entry_SYSCALL_64_after_hwframe", "do_syscall_64", "el0_svc", "el0t_64_sync"))
_CALL = re.compile(r"(?:__(?:x64|arm64|se|do)_sys|ksys)_(\w+)$")
# The entry of these calls jumps to a function, and has no frame.
_CALL_OF = {
    "vm_mmap_pgoff": "mmap",
    "__vm_munmap": "munmap",
    "do_madvise": "madvise",
    "do_mprotect_pkey": "mprotect",
}
_LIBRARIES = re.compile(r"(^|/)(libc|libpthread|ld|ld-linux[\w-]*)[.-][\w.-]*$|^\[vdso\]$")


@dataclass(frozen=True, slots=True)
class ThreadShare:
    """A share, 0..1, of the samples of one thread."""

    samples: int  # of the thread
    share: float


@dataclass(frozen=True, slots=True)
class KernelTime:
    """CPU time in the kernel by one way, as a share of all CPU time.

    ``calls``: names of system calls, ``callers``: functions of the program, each with its share.
    ``removable``: the time that may go with this way, of the thread that has most of it.
    """

    share: float
    calls: tuple[tuple[str, float], ...]
    callers: tuple[tuple[str, float], ...]
    removable: ThreadShare | None = None


@dataclass(frozen=True, slots=True)
class KernelPath:
    """How a node was reached: the program's function, the way into the kernel, the call."""

    caller: str = ""
    way: str = ""
    call: str = ""


def step(path: KernelPath, function: Function) -> KernelPath:
    """Return the path of a node with this function below a node with ``path``."""
    if function.kind != FunctionKind.KERNEL:
        library = _LIBRARIES.search(function.module) is not None
        return path if library and path.caller else KernelPath(function.name)
    if function.name in _SWAPS or path.way == SWAP:
        return KernelPath(path.caller, SWAP, path.call)
    if function.name in _FAULTS:
        return KernelPath(path.caller, FAULT, path.call)
    if not path.way and function.name in _CALLS:
        return KernelPath(path.caller, CALL)
    if path.way != CALL or path.call:
        return path
    match = _CALL.match(function.name)
    call = _CALL_OF.get(function.name, "") if match is None else match[1]
    return KernelPath(path.caller, CALL, call) if call else path


def kernel_paths(profile: Profile) -> list[KernelPath]:
    """Return the path of each node."""
    paths = [KernelPath()]
    for parent, number in zip(
        profile.node_parent.tolist()[1:], profile.node_function.tolist()[1:], strict=True
    ):
        # A parent precedes its children, so its path is known.
        paths.append(step(paths[parent], profile.functions[number]))
    return paths
