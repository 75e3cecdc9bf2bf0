"""Where the CPU time of a recording goes: the hottest functions, and the ways into the kernel."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from harness.diagnose.kernel_ways import (
    CALL,
    FAULT,
    SWAP,
    KernelPath,
    KernelTime,
    kernel_paths,
)
from harness.diagnose.removable import (
    program_shares,
    removable_with_calls,
    removable_with_faults,
)
from harness.profile.analysis import Analysis, analyze
from harness.profile.capture_reading import CaptureReading
from harness.profile.options import AnalysisOptions
from stallscope.errors import RecordingError
from stallscope.recordings import Recording
from topdown.stacks.managed.garbage_collection import (
    GarbageCollection,
    collector_threads,
    garbage_collections,
)
from topdown.stacks.profile import Function, Profile

MAX_FUNCTIONS = 5
MAX_CALLS = 8
# A call that moves many bytes is work; its cost does not shrink with the number of calls.
_COPIES = re.compile(r"copy_user|copy_(from|to)_|_copy_(from|to)|copy_page|rep_movs|memcpy|clear_")

_NONE = KernelTime(0.0, (), ())


@dataclass(frozen=True, slots=True)
class CpuFunctions:
    """CPU time of a recording. ``system_calls`` is without the copying of data.

    ``swapping``: reading pages back from swap, and freeing pages; not part of the other two.
    ``program_shares``: of processes by pid, without garbage collection and managing memory.
    ``collector_threads``: thread ids of those that do hardly anything but garbage collection.
    """

    samples: int
    hottest: tuple[tuple[Function, float], ...]
    page_faults: KernelTime
    system_calls: KernelTime
    collections: tuple[GarbageCollection, ...] = ()
    swapping: KernelTime = _NONE
    program_shares: Mapping[int, float] = field(default_factory=dict)
    collector_threads: frozenset[int] = frozenset()


def cpu_functions(recording: Recording) -> CpuFunctions | None:
    """Return where the CPU time of a recording goes; None if it has no CPU sample."""
    return functions_of_analysis(cpu_analysis(recording))


def cpu_analysis(
    recording: Recording,
    reading: CaptureReading | None = None,
    places: SymbolPlaces = DEFAULT_PLACES,
) -> Analysis | None:
    """Return the profile of a recording; None if it has no CPU sample.

    ``reading``: the capture, if it was read before. ``places``: of debug files, if it was not.
    """
    try:
        return analyze(recording, AnalysisOptions(lines=1, places=places), reading)
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
    paths = kernel_paths(profile)
    faults, calls, swapping = _kernel_times(profile, paths, whole)
    return CpuFunctions(
        profile.samples,
        tuple((profile.functions[row.index], row.self_value / whole) for row in hottest),
        replace(faults, removable=removable_with_faults(profile, paths)),
        replace(calls, removable=removable_with_calls(profile, paths)),
        garbage_collections(profile),
        swapping,
        program_shares(profile, paths),
        collector_threads(profile),
    )


def _kernel_times(
    profile: Profile, paths: Sequence[KernelPath], whole: int
) -> tuple[KernelTime, KernelTime, KernelTime]:
    """Return the time in page faults, in system calls, and in swapping."""
    numbers = profile.node_function.tolist()
    functions = {number: profile.functions[number] for number in set(numbers)}
    totals = {way: [Counter[str](), Counter[str]()] for way in (FAULT, CALL, SWAP)}
    for node, value in zip(
        profile.weight_node.tolist(), profile.weight_value.tolist(), strict=True
    ):
        path = paths[node]
        if path.way in (FAULT, SWAP) or (
            path.way == CALL and not _COPIES.search(functions[numbers[node]].name)
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
