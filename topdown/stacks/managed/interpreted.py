"""Merging of frames of interpreters that keep them in a stack of the runtime: Ruby and PHP.

As for CPython, each call of the interpreter's loop is one native frame that runs one or more frames
of the language; the native chain and the frames match if they agree in the number of runs.
"""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.folding.named_chains import WHOLE, NamedChains
from topdown.stacks.managed.alignment import aligned
from topdown.stacks.managed.chains import INTERPRETED, managed_functions
from topdown.stacks.managed.code_ranges import NO_CODE
from topdown.stacks.managed.executed import ExecutedRuns, LoopMoment
from topdown.stacks.managed.frames import ManagedFrames, ManagedFunction
from topdown.stacks.managed.loop_codes import without_codes
from topdown.stacks.managed.shares import RuntimeShares
from topdown.stacks.profile import FunctionKind
from topdown.stacks.python.chains import OTHER, match_chains, merged_chains
from topdown.stacks.python.frames import PythonStacks
from topdown.stacks.python.shares import FrameMatch

if TYPE_CHECKING:
    from stallscope._native import Capture

# vm_exec of Ruby, which calls vm_exec_core, and the loop of PHP. Both are exported.
LOOPS = ("rb_vm_exec", "execute_ex")
_INNER_LOOP = "vm_exec_core"
_LINES_PER_FUNCTION = 16
_MOVED_ON, _NOT_READ = "moved-on", "not read"


class InterpretedFrameMerger:
    """Merges the frames of Ruby and PHP into chains; ``shares`` then has the counts."""

    def __init__(self, frames: ManagedFrames, *, lines: bool = False) -> None:
        """Set the frames that were read, and whether source lines are counted."""
        self.shares: tuple[RuntimeShares, ...] = ()
        self._first_nameless = len(frames.functions)
        further = tuple(
            ManagedFunction(runtime.pid, "", "", 0, "interpreted", _MOVED_ON)
            for runtime in frames.runtimes
        )
        self._frames = frames = replace(frames, functions=frames.functions + further)
        self._lines = lines
        self._stacks = _stacks_of(frames)
        interpreters, count = frames.interpreters, len(further)
        self._code_of = np.append(interpreters.code_of, np.full(count, NO_CODE))
        own = self._first_nameless + np.arange(count)
        self._function_of = np.append(interpreters.function_of, own)

    def __call__(self, capture: "Capture", named: NamedChains) -> NamedChains:
        """Return the chains with the functions of the language in the place of the loop."""
        runtime, stack = self._samples(capture, named.rows)
        if not (runtime >= 0).any():
            return named
        count = len(self._frames.runtimes) + 1
        by_stack, keys = named.split_by((stack - OTHER) * count + runtime + 1)
        stack_of, runtime_of = keys // count + OTHER, keys % count - 1
        by_stack, codes_of = without_codes(by_stack, LOOPS)
        by_stack = _without_inner_loops(by_stack)
        stacks, stack_of, unnamed = self._executed(by_stack, stack_of, runtime_of, codes_of)
        matches = match_chains(by_stack, stack_of, stacks, LOOPS)
        moved = (matches.match == FrameMatch.MOVED_ON) & (stack_of >= 0)
        stacks, stack_of, unaligned = self._aligned(
            stacks, stack_of, runtime_of, np.where(moved, matches.evaluations, 0)
        )
        unnamed |= unaligned
        matches = match_chains(by_stack, stack_of, stacks, LOOPS)
        is_match = matches.match == FrameMatch.FRAMED
        functions, function_of = managed_functions(self._frames, len(named.functions))
        table = named.functions.extended(functions)
        if not self.shares:  # a second fold has samples of the first
            match = np.where(unnamed, FrameMatch.MOVED_ON, matches.match)
            states = _States(stacks, stack_of, match)
            self.shares = self._counted(capture, by_stack, runtime, states)
        if self._lines:
            samples = np.bincount(by_stack.chain_of, minlength=len(keys)) * is_match
            table = table.with_lines(self._line_counts(stacks, stack_of, samples, function_of))
        chains = merged_chains(by_stack.chains, matches, is_match, stacks, function_of)
        return NamedChains(
            table, chains, by_stack.rows, by_stack.chain_of, by_stack.reason_of, by_stack.reasons
        )

    def _executed(
        self,
        named: NamedChains,
        stack: npt.NDArray[np.int64],
        runtime: npt.NDArray[np.int64],
        codes_of: dict[int, tuple[int, ...]],
    ) -> tuple[PythonStacks, npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Return stacks of the moment of each chain's samples, as far as ``codes_of`` has it.

        The other results are as those of ``_aligned``. A chain that was not read, and whose runs
        have not all names, keeps its reason.
        """
        ends = _ends_behind_loop(named)
        chains = [
            chain
            for chain in codes_of
            if runtime[chain] >= 0 and stack[chain] > OTHER and named.reason_of[chain] == WHOLE
        ]
        moments = [
            LoopMoment(
                int(stack[chain]),
                codes_of[chain],
                bool(ends[chain]),
                self._first_nameless + int(runtime[chain]),
            )
            for chain in chains
        ]
        executed = ExecutedRuns(self._stacks, self._code_of, self._function_of)
        samples = np.bincount(named.chain_of, minlength=len(stack))[chains].tolist()
        stacks, indexes, complete = executed.made(moments, samples)
        stack, unnamed = stack.copy(), np.zeros(len(stack), np.bool_)
        for chain, index, is_complete in zip(chains, indexes, complete, strict=True):
            if is_complete or stack[chain] >= 0:
                stack[chain], unnamed[chain] = index, not is_complete
        return stacks, stack, unnamed

    def _aligned(
        self,
        stacks: PythonStacks,
        stack: npt.NDArray[np.int64],
        runtime: npt.NDArray[np.int64],
        evaluations: npt.NDArray[np.int64],
    ) -> tuple[PythonStacks, npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Return the stacks, that of each chain, and which chains have a run without a name.

        ``evaluations`` is 0 for chains that need no alignment; all arrays are by chain.
        """
        chains = np.flatnonzero(evaluations)
        pairs = zip(
            stack[chains].tolist(),
            evaluations[chains].tolist(),
            (self._first_nameless + runtime[chains]).tolist(),
            strict=True,
        )
        stacks, indexes, complete = aligned(stacks, pairs)
        stack, unnamed = stack.copy(), np.zeros(len(stack), np.bool_)
        stack[chains] = indexes
        unnamed[chains] = np.logical_not(complete)
        return stacks, stack, unnamed

    def _samples(
        self, capture: "Capture", rows: npt.NDArray[np.intp]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return each sample's runtime (-1: another) and stack (-1: not read, -2: another)."""
        frames = self._frames
        number_of = {
            runtime.pid: number
            for number, runtime in enumerate(frames.runtimes)
            if runtime.name in INTERPRETED
        }
        of_thread = [number_of.get(thread.pid, -1) for thread in capture.threads]
        runtime = np.array([*of_thread, -1], np.int64)[capture.thread[rows]]
        stack = np.full(len(rows), OTHER, np.int64)
        stack_of = frames.interpreted.stack_of
        for row in np.flatnonzero(runtime >= 0).tolist():
            stack[row] = stack_of.get(_moment(capture, int(rows[row])), -1)
        return runtime, stack

    def _counted(
        self,
        capture: "Capture",
        named: NamedChains,
        runtime: npt.NDArray[np.int64],
        states_of: "_States",
    ) -> tuple[RuntimeShares, ...]:
        """Return the counts of each runtime and version; ``runtime`` is by sample."""
        frames = self._frames
        nameless = {
            number: managed.reason
            for number, managed in enumerate(frames.functions)
            if not managed.name
        }
        innermost = _innermost(states_of.stacks)
        counted: dict[tuple[str, str], tuple[Counter[str], Counter[str]]] = {}
        for row in np.flatnonzero(runtime >= 0).tolist():
            version = frames.runtimes[runtime[row]]
            states, tiers = counted.setdefault(
                (version.name, version.version), (Counter(), Counter())
            )
            chain = int(named.chain_of[row])
            match, stack = states_of.match[chain], int(states_of.stack[chain])
            if match == FrameMatch.FRAMED:
                states[_reason_of(states_of.stacks, stack, nameless)] += 1
                function = int(states_of.stacks.code[innermost[stack]])
                tiers[frames.functions[function].kind] += 1
            elif match == FrameMatch.NATIVE:
                states[""] += 1
            elif match == FrameMatch.MOVED_ON:
                states[_MOVED_ON] += 1
            else:
                moment = _moment(capture, int(named.rows[row]))
                states[frames.failures.get(moment) or version.refusal or _NOT_READ] += 1
        return tuple(
            RuntimeShares(
                name,
                version,
                states.total(),
                states[""],
                {reason: count for reason, count in states.most_common() if reason},
                dict(tiers.most_common()),
            )
            for (name, version), (states, tiers) in counted.items()
        )

    def _line_counts(
        self,
        stacks: PythonStacks,
        stack: npt.NDArray[np.int64],
        samples: npt.NDArray[np.int64],
        function_of: npt.NDArray[np.int64],
    ) -> dict[int, tuple[tuple[str, int], ...]]:
        """Return the source lines that the innermost frames execute, by function."""
        counts: dict[int, Counter[str]] = {}
        frame_of = _innermost(stacks)
        for chain in np.flatnonzero(samples > 0).tolist():
            frame = frame_of[stack[chain]]
            number, line = int(stacks.code[frame]), int(stacks.instruction[frame])
            if line:
                of_function = counts.setdefault(int(function_of[number]), Counter())
                of_function[f"{self._frames.functions[number].file}:{line}"] += int(samples[chain])
        return {
            function: tuple(lines.most_common(_LINES_PER_FUNCTION))
            for function, lines in counts.items()
        }


@dataclass(frozen=True, slots=True)
class _States:
    """How chains match stacks; the arrays are by chain."""

    stacks: PythonStacks
    stack: npt.NDArray[np.int64]
    match: npt.NDArray[np.int64]


def _reason_of(stacks: PythonStacks, stack: int, nameless: dict[int, str]) -> str:
    """Return why a function of a stack has no name; empty if all have names."""
    if not nameless:
        return ""
    first, end = stacks.frame_offset[stacks.run_offset[stack : stack + 2]]
    reasons = (nameless.get(code) for code in stacks.code[first:end].tolist())
    return next((reason for reason in reasons if reason is not None), "")


def _moment(capture: "Capture", row: int) -> tuple[int, int]:
    return int(capture.time_ns[row]), capture.threads[int(capture.thread[row])].tid


def _innermost(stacks: PythonStacks) -> npt.NDArray[np.int64]:
    """Return the innermost frame of each stack."""
    frames: npt.NDArray[np.int64] = stacks.frame_offset[stacks.run_offset[1:]] - 1
    return frames


def _stacks_of(frames: ManagedFrames) -> PythonStacks:
    """Return the stacks of the interpreters; ``code`` is a function, ``instruction`` a line."""
    interpreted, stacks = frames.interpreted, frames.stacks
    first, end = stacks.offset[interpreted.run], stacks.offset[interpreted.run + 1]
    lengths = end - first
    frame_offset = np.append(0, np.cumsum(lengths)).astype(np.int64)
    places = np.repeat(first - frame_offset[:-1], lengths) + np.arange(int(lengths.sum()))
    return PythonStacks(
        interpreted.offset, frame_offset, stacks.function[places], stacks.line[places]
    )


def _ends_behind_loop(named: NamedChains) -> npt.NDArray[np.bool_]:
    """Return which chains have native frames behind their innermost call of a loop."""
    chains, functions = named.chains, named.functions
    used = np.unique(chains.function).tolist()
    loops = [at for at in used if functions[at].name.startswith(LOOPS)]
    behind = np.zeros(len(chains.offset) - 1, np.bool_)
    filled = np.diff(chains.offset) > 0
    last = chains.function[chains.offset[1:][filled] - 1]
    behind[filled] = np.logical_not(np.isin(last, loops))
    return behind


def _without_inner_loops(named: NamedChains) -> NamedChains:
    """Return the chains without the frames of vm_exec_core, which has no symbol if stripped."""
    chains, functions = named.chains, named.functions
    used = np.unique(chains.function).tolist()
    outer = [at for at in used if functions[at].name.startswith(LOOPS[0])]
    if not outer:
        return named
    modules = {functions[at].module for at in outer}
    inner = [
        at
        for at in used
        if functions[at].name.startswith(_INNER_LOOP)
        or (functions[at].kind == FunctionKind.UNKNOWN and functions[at].module in modules)
    ]
    called = np.append(False, np.isin(chains.function, outer)[:-1])
    starts = chains.offset[:-1][np.diff(chains.offset) > 0]
    called[starts] = False
    kept = ~(called & np.isin(chains.function, inner))
    bounds = np.append(0, np.cumsum(kept))
    return NamedChains(
        functions,
        Chains(bounds[chains.offset], chains.function[kept]),
        named.rows,
        named.chain_of,
        named.reason_of,
        named.reasons,
    )
