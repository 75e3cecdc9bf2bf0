"""Merging of managed frames into native chains.

The unwinder has put a placeholder into each chain for every run of managed frames. The placeholder
is replaced by the functions of the run. Code that was generated at run time and is in no run has no
name: it reads ``[JavaScript: name not available: reason]``.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.folding.named_chains import NamedChains
from topdown.stacks.managed.activities import with_activities
from topdown.stacks.managed.frames import ManagedFrames, ManagedFunction, ManagedStacks
from topdown.stacks.managed.shares import RuntimeShares
from topdown.stacks.managed.virtual_machine_threads import work_of_threads
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.function_table import FunctionTable

if TYPE_CHECKING:
    from stallscope._native import Capture

_KINDS = {
    "v8": FunctionKind.JAVASCRIPT,
    "hotspot": FunctionKind.JAVA,
    "ruby": FunctionKind.RUBY,
    "php": FunctionKind.PHP,
}
_LANGUAGES = {"v8": "JavaScript", "hotspot": "Java", "ruby": "Ruby", "php": "PHP"}
INTERPRETED = ("ruby", "php")  # see interpreted.py
_GENERATED = ("[anonymous]", "[jit]", "[unknown]")
_READ, _NOT_READ, _OTHER = "", "not read", "code not found"
_LINES_PER_FUNCTION = 16
_INEXACT_TIER = "c2"


class ManagedFrameMerger:
    """Merges managed frames into the chains of a capture; ``shares`` then has the counts."""

    def __init__(self, frames: ManagedFrames, *, lines: bool = False) -> None:
        """Set the frames that were read, and whether source lines are counted."""
        self.shares: tuple[RuntimeShares, ...] = ()
        self._frames = frames
        self._lines = lines

    def __call__(self, capture: "Capture", named: NamedChains) -> NamedChains:
        """Return the chains with managed functions in the place of the runs."""
        runtime, reason, reasons = self._states(capture, named.rows)
        work, works = self._work(capture, named.rows)
        state = (runtime + 1) * len(reasons) + reason
        by_state, keys = named.split_by(state * len(works) + work)
        keys, work_of = keys // len(works), keys % len(works)
        runtime_of, reason_of = keys // len(reasons) - 1, keys % len(reasons)
        functions, function_of = managed_functions(self._frames, len(named.functions))
        table = named.functions.extended(functions)
        chains, is_run, stack = self._expanded(by_state, function_of)
        unnamed = _UnnamedCode(self._frames, len(table))
        reason_text = np.array(reasons)[reason_of]
        chains, has_unnamed = unnamed.replaced(chains, by_state, reason_text, runtime_of)
        samples = np.bincount(by_state.chain_of, minlength=len(keys)).astype(np.int64)
        innermost = _innermost_frames(by_state.chains, is_run, stack, self._frames.stacks)
        missing = _missing_reasons(self._frames, by_state.chains, is_run, stack)
        missing[has_unnamed] = np.where(reason_text == _READ, _OTHER, reason_text)[has_unnamed]
        if not self.shares:  # a second fold has samples of the first
            work_text = np.array(works, object)[work_of]
            ends_in_run = _ends_in_run(by_state.chains, is_run)
            counted = _CountedChains(
                runtime_of, samples, innermost, missing, work_text, ends_in_run
            )
            self.shares = _counted(self._frames, counted)
        if self._lines:
            table = table.with_lines(self._line_counts(innermost, samples, function_of))
        is_v8 = [runtime.name == "v8" for runtime in self._frames.runtimes]
        chains, table = with_activities(
            chains, table.extended(unnamed.functions), np.array([*is_v8, False])[runtime_of]
        )
        chains, table = _with_work(chains, table, work_of, works)
        return NamedChains(
            table,
            chains,
            by_state.rows,
            by_state.chain_of,
            by_state.reason_of,
            by_state.reasons,
        )

    @property
    def warnings(self) -> tuple[ProfileWarning, ...]:
        """Return what limits the frames that were merged."""
        inexact = sum(shares.inexact_leaves for shares in self.shares)
        if not inexact:
            return ()
        total = sum(shares.samples for shares in self.shares if shares.name == "hotspot")
        message = (
            f"{inexact / total:.0%} of the Java samples are in code of the C2 compiler. In tight "
            "loops of such code, the innermost method and line may be those of code nearby. The "
            "options -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints make them exact."
        )
        return (ProfileWarning("java-leaves-inexact", message),)

    def _work(
        self, capture: "Capture", rows: npt.NDArray[np.intp]
    ) -> tuple[npt.NDArray[np.int64], list[str]]:
        """Return the work of each sample's thread for the virtual machine, as an index."""
        java = frozenset(item.pid for item in self._frames.runtimes if item.name == "hotspot")
        of_thread = work_of_threads(capture.threads, java)
        works = list(dict.fromkeys(["", *of_thread]))
        number_of = {text: number for number, text in enumerate(works)}
        numbers = np.array([number_of[text] for text in [*of_thread, ""]], np.int64)
        return numbers[capture.thread[rows]], works

    def _states(
        self, capture: "Capture", rows: npt.NDArray[np.intp]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], list[str]]:
        """Return each sample's runtime (-1: none) and why it was not read, as an index."""
        frames = self._frames
        number_of = {
            runtime.pid: number
            for number, runtime in enumerate(frames.runtimes)
            if runtime.name not in INTERPRETED
        }
        of_thread = [number_of.get(thread.pid, -1) for thread in capture.threads]
        thread = capture.thread[rows]
        runtime = np.array([*of_thread, -1], np.int64)[thread]
        reasons = [_READ, _NOT_READ]
        reason = np.zeros(len(rows), np.int64)
        tids = [thread.tid for thread in capture.threads]
        read = set(zip(frames.runs[0].tolist(), frames.runs[1].tolist(), strict=True))
        for row in np.flatnonzero(runtime >= 0).tolist():
            moment = int(capture.time_ns[rows[row]]), tids[thread[row]]
            if moment in read:
                continue
            text = frames.failures.get(moment) or frames.runtimes[runtime[row]].refusal
            text = text or _NOT_READ
            if text not in reasons:
                reasons.append(text)
            reason[row] = reasons.index(text)
        return runtime, reason, reasons

    def _expanded(
        self, named: NamedChains, function_of: npt.NDArray[np.int64]
    ) -> tuple[Chains, npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
        """Return the chains with runs replaced, which frames were runs, and the run of each."""
        stacks, chains = self._frames.stacks, named.chains
        kinds = named.functions.kinds()
        is_run = kinds[chains.function] == FunctionKind.MANAGED_RUN
        number_of = np.full(len(kinds), -1, np.int64)
        placeholders = np.flatnonzero(kinds == FunctionKind.MANAGED_RUN)
        number_of[placeholders] = [int(named.functions[at].name) for at in placeholders.tolist()]
        stack = number_of[chains.function]
        lengths = np.ones(len(chains.function), np.int64)
        lengths[is_run] = np.diff(stacks.offset)[stack[is_run]]
        bounds = np.append(0, np.cumsum(lengths))
        function = np.repeat(chains.function, lengths)
        of_runs = np.repeat(is_run, lengths)
        starts = np.repeat(stacks.offset[stack[is_run]] - bounds[:-1][is_run], lengths[is_run])
        function[of_runs] = function_of[stacks.function[starts + np.flatnonzero(of_runs)]]
        return Chains(bounds[chains.offset], function), is_run, stack

    def _line_counts(
        self,
        innermost: npt.NDArray[np.int64],
        samples: npt.NDArray[np.int64],
        function_of: npt.NDArray[np.int64],
    ) -> dict[int, tuple[tuple[str, int], ...]]:
        """Return the source lines that the innermost managed frames execute, by function."""
        stacks = self._frames.stacks
        counts: dict[int, Counter[str]] = {}
        for frame, count in zip(innermost.tolist(), samples.tolist(), strict=True):
            if frame < 0 or not stacks.line[frame]:
                continue
            number = int(stacks.function[frame])
            place = f"{self._frames.functions[number].file}:{int(stacks.line[frame])}"
            counts.setdefault(int(function_of[number]), Counter())[place] += count
        return {
            function: tuple(lines.most_common(_LINES_PER_FUNCTION))
            for function, lines in counts.items()
        }


@dataclass(slots=True)
class _Counts:
    """Samples of a runtime by state, by tier, and by work of the runtime's threads."""

    states: Counter[str] = field(default_factory=Counter)
    tiers: Counter[str] = field(default_factory=Counter)
    works: Counter[str] = field(default_factory=Counter)
    inexact_leaves: int = 0


@dataclass(frozen=True, slots=True)
class _CountedChains:
    """What is counted of each chain."""

    runtime: npt.NDArray[np.int64]  # index, -1: none
    samples: npt.NDArray[np.int64]
    innermost: npt.NDArray[np.int64]  # managed frame, -1: none
    missing: npt.NDArray[np.object_]  # why a frame has no name
    work: npt.NDArray[np.object_]  # of a thread of the virtual machine itself
    ends_in_run: npt.NDArray[np.bool_]


def _counted(frames: ManagedFrames, chains: _CountedChains) -> tuple[RuntimeShares, ...]:
    """Return the counts of each runtime and version."""
    counted: dict[tuple[str, str], _Counts] = {}
    for chain in np.flatnonzero(chains.runtime >= 0).tolist():
        version = frames.runtimes[chains.runtime[chain]]
        counts = counted.setdefault((version.name, version.version), _Counts())
        count = int(chains.samples[chain])
        counts.states[str(chains.missing[chain])] += count
        if chains.work[chain]:
            counts.works[str(chains.work[chain])] += count
        innermost = chains.innermost[chain]
        if innermost >= 0:
            tier = frames.functions[int(frames.stacks.function[innermost])].kind
            counts.tiers[tier] += count
            if chains.ends_in_run[chain] and tier == _INEXACT_TIER:
                counts.inexact_leaves += count
    return tuple(
        RuntimeShares(
            name,
            version,
            counts.states.total(),
            counts.states[_READ],
            {reason: count for reason, count in counts.states.most_common() if reason},
            dict(counts.tiers.most_common()),
            dict(counts.works.most_common()),
            counts.inexact_leaves,
        )
        for (name, version), counts in counted.items()
    )


def _ends_in_run(chains: Chains, is_run: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return whether the innermost frame of each chain is in a run."""
    ends = np.zeros(len(chains.offset) - 1, np.bool_)
    filled = np.diff(chains.offset) > 0
    ends[filled] = is_run[chains.offset[1:][filled] - 1]
    return ends


def _with_work(
    chains: Chains, table: FunctionTable, work_of: npt.NDArray[np.int64], works: list[str]
) -> tuple[Chains, FunctionTable]:
    """Return the chains of the virtual machine's own threads with the work as outermost frame."""
    first = len(table)
    has_work = work_of > 0
    places = chains.offset[:-1][has_work]
    function = np.insert(chains.function, places, first + work_of[has_work] - 1)
    bounds = chains.offset + np.append(0, np.cumsum(has_work))
    added = [Function(text, "[hotspot]", FunctionKind.JAVA) for text in works[1:]]
    return Chains(bounds, function), table.extended(added)


def managed_functions(
    frames: ManagedFrames, first: int
) -> tuple[tuple[Function, ...], npt.NDArray[np.int64]]:
    """Return the functions, numbered from ``first``, and the number of each managed function.

    Functions with equal name, file and line are one function, whatever compiled them.
    """
    names = {runtime.pid: runtime.name for runtime in frames.runtimes}
    numbers: dict[tuple[Function, int], int] = {}
    numbered = []
    for managed in frames.functions:
        function = _profile_function(managed, names.get(managed.pid, ""))
        numbered.append(first + numbers.setdefault((function, managed.line), len(numbers)))
    return tuple(function for function, _ in numbers), np.array(numbered, np.int64)


def _profile_function(managed: ManagedFunction, runtime: str) -> Function:
    """Return the function as profiles have it; one without a name states the reason."""
    kind = _KINDS.get(runtime, FunctionKind.UNKNOWN)
    name = managed.name or unnamed_frame(runtime, managed.reason)
    return Function(name, managed.file or f"[{runtime}]", kind)


def unnamed_frame(runtime: str, reason: str) -> str:
    """Return the name of a managed frame without a name."""
    return f"[{_LANGUAGES.get(runtime, runtime)}: name not available: {reason or _OTHER}]"


def _missing_reasons(
    frames: ManagedFrames,
    chains: Chains,
    is_run: npt.NDArray[np.bool_],
    stack: npt.NDArray[np.int64],
) -> npt.NDArray[np.object_]:
    """Return why a frame in a run of a chain has no name, empty if all have names; by chain."""
    missing = np.full(len(chains.offset) - 1, _READ, object)
    reason_of = {
        number: managed.reason or _OTHER
        for number, managed in enumerate(frames.functions)
        if not managed.name
    }
    nameless = np.flatnonzero(np.isin(frames.stacks.function, list(reason_of)))
    runs = np.searchsorted(frames.stacks.offset, nameless, "right") - 1
    reason_of_run = {
        run: reason_of[int(frames.stacks.function[frame])]
        for run, frame in zip(runs.tolist(), nameless.tolist(), strict=True)
    }
    places = np.flatnonzero(is_run & np.isin(stack, list(reason_of_run)))
    of_chain = np.searchsorted(chains.offset, places, "right") - 1
    for chain, place in zip(of_chain.tolist(), places.tolist(), strict=True):
        missing[chain] = reason_of_run[int(stack[place])]
    return missing


def _innermost_frames(
    chains: Chains,
    is_run: npt.NDArray[np.bool_],
    stack: npt.NDArray[np.int64],
    stacks: ManagedStacks,
) -> npt.NDArray[np.int64]:
    """Return the innermost managed frame of each chain, -1 without one."""
    last = np.full(len(chains.offset) - 1, -1, np.int64)
    frames = np.flatnonzero(is_run)
    of_chain = np.searchsorted(chains.offset, frames, "right") - 1
    # The last assignment of a chain is that of its innermost run.
    last[of_chain] = stacks.offset[stack[frames] + 1] - 1
    return last


class _UnnamedCode:
    """Replaces generated code that is in no run by a function that names the reason."""

    def __init__(self, frames: ManagedFrames, first: int) -> None:
        self.functions: list[Function] = []
        self._frames = frames
        self._first = first
        self._number_of: dict[tuple[str, str], int] = {}

    def replaced(
        self,
        chains: Chains,
        named: NamedChains,
        reason_of: npt.NDArray[np.str_],
        runtime_of: npt.NDArray[np.int64],
    ) -> tuple[Chains, npt.NDArray[np.bool_]]:
        """Return the chains, and which of them have such code; adjacent frames become one."""
        of_frame = np.repeat(np.arange(len(runtime_of)), np.diff(chains.offset))
        generated = self._generated(chains, named) & (runtime_of[of_frame] >= 0)
        function = chains.function.copy()
        for frame in np.flatnonzero(generated).tolist():
            chain = of_frame[frame]
            runtime = self._frames.runtimes[runtime_of[chain]].name
            function[frame] = self._number(runtime, str(reason_of[chain]))
        missing = np.bincount(of_frame[generated], minlength=len(runtime_of)) > 0
        repeated = generated & np.append(False, function[1:] == function[:-1])
        starts = chains.offset[:-1][np.diff(chains.offset) > 0]
        repeated[starts] = False
        bounds = np.append(0, np.cumsum(~repeated))
        return Chains(bounds[chains.offset], function[~repeated]), missing

    def _generated(self, chains: Chains, named: NamedChains) -> npt.NDArray[np.bool_]:
        count = len(named.functions)
        kinds = named.functions.kinds()
        used = np.unique(chains.function[chains.function < count])
        chosen = [
            index
            for index in used[kinds[used] == FunctionKind.UNKNOWN].tolist()
            if named.functions[index].module in _GENERATED
        ]
        return np.isin(chains.function, chosen)

    def _number(self, runtime: str, reason: str) -> int:
        key = runtime, reason
        if key not in self._number_of:
            self._number_of[key] = self._first + len(self.functions)
            kind = _KINDS.get(runtime, FunctionKind.UNKNOWN)
            self.functions.append(Function(unnamed_frame(runtime, reason), f"[{runtime}]", kind))
        return self._number_of[key]
