"""Where the CPU time of a recording goes: the hottest functions, and the ways into the kernel."""

import re
from collections import Counter
from dataclasses import dataclass

from harness.profile.analysis import Analysis, analyze
from harness.profile.capture_reading import CaptureReading
from harness.profile.options import AnalysisOptions
from stallscope.errors import RecordingError
from stallscope.recordings import Recording
from topdown.stacks.managed.garbage_collection import GarbageCollection, garbage_collections
from topdown.stacks.profile import Function, FunctionKind, Profile

MAX_FUNCTIONS = 5
MAX_CALLS = 8
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
# A call that moves many bytes is work; its cost does not shrink with the number of calls.
_COPIES = re.compile(r"copy_user|copy_(from|to)_|_copy_(from|to)|copy_page|rep_movs|memcpy|clear_")
_LIBRARIES = re.compile(r"(^|/)(libc|libpthread|ld|ld-linux[\w-]*)[.-][\w.-]*$|^\[vdso\]$")


@dataclass(frozen=True, slots=True)
class KernelTime:
    """CPU time in the kernel by one way, as a share of all CPU time.

    ``calls``: names of system calls, ``callers``: functions of the program, each with its share.
    """

    share: float
    calls: tuple[tuple[str, float], ...]
    callers: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class CpuFunctions:
    """CPU time of a recording. ``system_calls`` is without the copying of data.

    ``swapping``: reading pages back from swap, and freeing pages; not part of the other two.
    """

    samples: int
    hottest: tuple[tuple[Function, float], ...]
    page_faults: KernelTime
    system_calls: KernelTime
    collections: tuple[GarbageCollection, ...] = ()
    swapping: KernelTime = KernelTime(0.0, (), ())


def cpu_functions(recording: Recording) -> CpuFunctions | None:
    """Return where the CPU time of a recording goes; None if it has no CPU sample."""
    return functions_of_analysis(cpu_analysis(recording))


def cpu_analysis(recording: Recording, reading: CaptureReading | None = None) -> Analysis | None:
    """Return the profile of a recording; None if it has no CPU sample."""
    try:
        return analyze(recording, AnalysisOptions(lines=1), reading)
    except RecordingError:
        return None


def functions_of_analysis(analysis: Analysis | None) -> CpuFunctions | None:
    """Return where the CPU time of a profile goes; None without samples."""
    if analysis is None:
        return None
    whole = analysis.ranking.value
    if not whole:
        return None
    profile = analysis.profile
    hottest = analysis.ranking.functions[:MAX_FUNCTIONS]
    faults, calls, swapping = _kernel_times(profile, whole)
    return CpuFunctions(
        profile.samples,
        tuple((profile.functions[row.index], row.self_value / whole) for row in hottest),
        faults,
        calls,
        garbage_collections(profile),
        swapping,
    )


@dataclass(frozen=True, slots=True)
class _Path:
    """How a node was reached: the program's function, the way into the kernel, the call."""

    caller: str = ""
    way: str = ""
    call: str = ""


def _step(path: _Path, function: Function) -> _Path:
    if function.kind != FunctionKind.KERNEL:
        library = _LIBRARIES.search(function.module) is not None
        return path if library and path.caller else _Path(function.name)
    if function.name in _SWAPS or path.way == "swap":
        return _Path(path.caller, "swap", path.call)
    if function.name in _FAULTS:
        return _Path(path.caller, "fault", path.call)
    if not path.way and function.name in _CALLS:
        return _Path(path.caller, "call")
    match = _CALL.match(function.name) if path.way == "call" and not path.call else None
    return path if match is None else _Path(path.caller, "call", match[1])


def _kernel_times(profile: Profile, whole: int) -> tuple[KernelTime, KernelTime, KernelTime]:
    """Return the time in page faults, in system calls, and in swapping."""
    paths = [_Path()]
    parents, numbers = profile.node_parent.tolist(), profile.node_function.tolist()
    functions = {number: profile.functions[number] for number in set(numbers)}
    for parent, number in zip(parents[1:], numbers[1:], strict=True):
        # A parent precedes its children, so its path is known.
        paths.append(_step(paths[parent], functions[number]))
    totals = {way: [Counter[str](), Counter[str]()] for way in ("fault", "call", "swap")}
    for node, value in zip(
        profile.weight_node.tolist(), profile.weight_value.tolist(), strict=True
    ):
        path = paths[node]
        if path.way in ("fault", "swap") or (
            path.way == "call" and not _COPIES.search(functions[numbers[node]].name)
        ):
            calls, callers = totals[path.way]
            calls[path.call] += value
            callers[path.caller] += value
    faults, system_calls, swaps = (
        _kernel_time(by_call, by_caller, whole) for by_call, by_caller in totals.values()
    )
    return faults, system_calls, swaps


def _kernel_time(calls: Counter[str], callers: Counter[str], whole: int) -> KernelTime:
    return KernelTime(
        sum(calls.values()) / whole,
        tuple((name, value / whole) for name, value in calls.most_common(MAX_CALLS) if name),
        tuple((name, value / whole) for name, value in callers.most_common(3) if name),
    )
