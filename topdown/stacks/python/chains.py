"""Merging of native and Python frames: evaluation frames are replaced by Python functions.

Each call of the evaluation loop (_PyEval_EvalFrameDefault) is one native frame that runs one or
more Python frames; the data read from the interpreter marks the start of each run. A sample's
native chain and its Python frames match if they agree in the number of runs. Otherwise the thread
moved on between the two, and the native chain remains. A truncated chain has only its innermost
runs.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.folding.named_chains import WHOLE, NamedChains
from topdown.stacks.python.evaluators import EVALUATOR, find_evaluators
from topdown.stacks.python.frames import PythonFrames, PythonStacks
from topdown.stacks.python.functions import line_counts, python_functions
from topdown.stacks.python.shares import FrameMatch, PythonShares, count_shares
from topdown.stacks.python.trampolines import name_trampolines

if TYPE_CHECKING:
    from stallscope._native import Capture

OTHER = -2  # stack number of samples outside the interpreters that were read
_MAX_TIES = 64  # threads sampled in the same nanosecond


@dataclass(frozen=True, slots=True)
class ChainMatches:
    """Matches of native chains and Python stacks; arrays (n_chains,) unless stated.

    ``evaluates`` bool (n_frames,): frames of the evaluation loop. ``evaluations`` int64: their
    number. ``first_run`` int64: run of the outermost evaluation of a matching chain.
    """

    evaluates: npt.NDArray[np.bool_]
    evaluations: npt.NDArray[np.int64]
    first_run: npt.NDArray[np.int64]
    match: npt.NDArray[np.int8]  # as FrameMatch


class PythonFrameMerger:
    """Merges Python frames into the chains of a capture; ``shares`` then has the match counts."""

    def __init__(self, frames: PythonFrames, *, lines: bool = False) -> None:
        """Set the frames that were read, and whether source lines are counted."""
        self.shares: PythonShares | None = None
        self._frames = frames
        self._lines = lines

    def __call__(self, capture: "Capture", named: NamedChains) -> NamedChains:
        """Return the chains, with Python frames in those that match."""
        frames = self._frames
        snapshot = _snapshots_of(frames, capture, named.rows)
        stack = np.append(frames.stack, -1)[snapshot]
        is_python = _of_interpreters(frames, capture, named.rows, "offsets")
        by_stack, keys = named.split_by(np.where(is_python, stack - OTHER, 0))
        matches = match_chains(by_stack, keys + OTHER, frames.stacks)
        self.shares = count_shares(frames, snapshot, is_python, matches.match[by_stack.chain_of])
        is_match = matches.match == FrameMatch.FRAMED
        added, function_of = python_functions(frames, len(named.functions))
        table = named.functions.extended(added)
        if self._lines:
            samples = np.bincount(by_stack.chain_of, minlength=len(keys)) * is_match
            table = table.with_lines(line_counts(frames, keys + OTHER, samples, function_of))
        chains = merged_chains(by_stack.chains, matches, is_match, frames.stacks, function_of)
        trampolined = _of_interpreters(frames, capture, named.rows, "trampoline")
        if trampolined.any():
            used = chains.select(np.unique(by_stack.chain_of[trampolined])).function
            chains, table = name_trampolines(chains, table, np.unique(used).tolist())
        return NamedChains(
            table, chains, by_stack.rows, by_stack.chain_of, by_stack.reason_of, by_stack.reasons
        )


def _snapshots_of(
    frames: PythonFrames, capture: "Capture", rows: npt.NDArray[np.intp]
) -> npt.NDArray[np.int64]:
    """Return the snapshot of each sample's thread and time, -1 if there is none."""
    snapshot = np.full(len(rows), -1, np.int64)
    tids = np.array([thread.tid for thread in capture.threads], np.int64)[capture.thread[rows]]
    times = capture.time_ns[rows]
    first = np.searchsorted(frames.time_ns, times, "left")
    last = np.searchsorted(frames.time_ns, times, "right")
    ties = int((last - first).max(initial=0))
    for step in range(min(ties, _MAX_TIES)):
        position = np.minimum(first + step, len(frames.time_ns) - 1)
        same = (first + step < last) & (frames.tid[position] == tids)
        snapshot[same] = position[same]
    return snapshot


def _of_interpreters(
    frames: PythonFrames, capture: "Capture", rows: npt.NDArray[np.intp], state: str
) -> npt.NDArray[np.bool_]:
    """Return which samples belong to processes whose interpreters have this state."""
    pids = {interpreter.pid for interpreter in frames.interpreters if interpreter.how == state}
    of_thread = np.array([thread.pid in pids for thread in capture.threads], np.bool_)
    return of_thread[capture.thread[rows]]


def match_chains(
    named: NamedChains,
    stack: npt.NDArray[np.int64],
    stacks: PythonStacks,
    loops: tuple[str, ...] = (EVALUATOR,),
) -> ChainMatches:
    """Return how each chain matches its stack; ``stack``: -1 if none was read, -2 to ignore it.

    ``loops``: beginnings of the names of the interpreter's loop.
    """
    chains = named.chains
    first = np.append(stacks.run_offset, 0)[stack] * (stack >= 0)
    end = np.append(stacks.run_offset[1:], [0, 0])[stack] * (stack >= 0)
    whole = named.reason_of == WHOLE
    evaluates = _evaluations(
        named, stack > OTHER, np.where(whole & (stack >= 0), end - first, -1), loops
    )
    before = np.append(0, np.cumsum(evaluates))
    evaluations = before[chains.offset[1:]] - before[chains.offset[:-1]]
    agrees = np.where(whole, evaluations == end - first, evaluations <= end - first)
    # If frames were read but no function was recognized as the loop, the chains do not show
    # whether they evaluate.
    loop_is_known = bool(evaluates.any()) or not bool((end > first).any())
    match = np.select(
        [
            stack == OTHER,
            loop_is_known & (evaluations == 0) & (~whole | (stack < 0)),
            stack < 0,
            agrees & (evaluations > 0),
        ],
        [FrameMatch.OTHER, FrameMatch.NATIVE, FrameMatch.UNREAD, FrameMatch.FRAMED],
        FrameMatch.MOVED_ON,
    ).astype(np.int8)
    return ChainMatches(evaluates, evaluations, end - evaluations, match)


def _evaluations(
    named: NamedChains,
    of_python: npt.NDArray[np.bool_],
    runs: npt.NDArray[np.int64],
    loops: tuple[str, ...],
) -> npt.NDArray[np.bool_]:
    """Return which frames of the chains evaluate Python; ``runs`` as for find_evaluators."""
    python_chains = np.flatnonzero(of_python)
    samples = np.bincount(named.chain_of, minlength=len(of_python))[python_chains]
    evaluators = find_evaluators(
        named.chains.select(python_chains), named.functions, runs[python_chains], samples, loops
    )
    frames_of_python = np.repeat(of_python, np.diff(named.chains.offset))
    return frames_of_python & np.isin(named.chains.function, evaluators)


def merged_chains(
    chains: Chains,
    matches: ChainMatches,
    is_match: npt.NDArray[np.bool_],
    stacks: PythonStacks,
    function_of: npt.NDArray[np.int64],
) -> Chains:
    """Return the chains; in matching chains each evaluation is replaced by its run of functions."""
    of_frame = np.repeat(np.arange(len(is_match)), np.diff(chains.offset))
    replaced = matches.evaluates & is_match[of_frame]
    # Evaluations are numbered within the chain, the outermost first, as runs are.
    before = np.append(0, np.cumsum(matches.evaluates))
    nth = before[:-1] - before[chains.offset[:-1]][of_frame]
    run = (matches.first_run[of_frame] + nth)[replaced]
    lengths = np.ones(len(of_frame), np.int64)
    lengths[replaced] = stacks.frame_offset[run + 1] - stacks.frame_offset[run]
    bounds = np.append(0, np.cumsum(lengths))
    function = np.repeat(chains.function, lengths)
    of_runs = np.repeat(replaced, lengths)
    starts = np.repeat(stacks.frame_offset[run] - bounds[:-1][replaced], lengths[replaced])
    function[of_runs] = function_of[stacks.code[starts + np.flatnonzero(of_runs)]]
    return Chains(bounds[chains.offset], function)
