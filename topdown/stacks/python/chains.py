"""Python and native frames as one chain: who evaluates Python makes way for what it evaluates.

Each call of the evaluation loop (_PyEval_EvalFrameDefault) is one native frame and runs one or many
Python frames; what was read of the interpreter says where each run begins. A sample's native chain
and its Python frames fit if they agree in the number of runs; else the thread moved on between the
two, and the native chain stays as it is. A chain that was cut has its innermost runs only.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.folding.named_chains import WHOLE, NamedChains
from topdown.stacks.python.evaluators import find_evaluators
from topdown.stacks.python.frames import PythonFrames, PythonStacks
from topdown.stacks.python.functions import line_counts, python_functions
from topdown.stacks.python.shares import PythonShares, Verdict, count_shares
from topdown.stacks.python.trampolines import name_trampolines

if TYPE_CHECKING:
    from stallscope._native import Capture

_OTHER = -2  # the stack of samples that are of no interpreter that was read
_TIES_AT_MOST = 64  # threads sampled in the same nanosecond


@dataclass(frozen=True, slots=True)
class _Pairing:
    """How native chains and Python stacks fit; arrays (n_chains,) but where named.

    ``evaluates`` bool (n_frames,): frames of the evaluation loop. ``evaluations`` int64: how many
    of them. ``first_run`` int64: of those that fit, the run of the outermost one.
    """

    evaluates: npt.NDArray[np.bool_]
    evaluations: npt.NDArray[np.int64]
    first_run: npt.NDArray[np.int64]
    verdict: npt.NDArray[np.int8]  # as Verdict


class PythonInterleave:
    """Replaces chains of one capture; afterwards ``shares`` says how well that went."""

    def __init__(self, frames: PythonFrames, *, lines: bool = False) -> None:
        """Take what was read, and whether source lines are wanted."""
        self.shares: PythonShares | None = None
        self._frames = frames
        self._lines = lines

    def __call__(self, capture: "Capture", named: NamedChains) -> NamedChains:
        """Return the chains with Python frames where they fit."""
        frames = self._frames
        snapshot = _snapshots_of(frames, capture, named.rows)
        stack = np.append(frames.stack, -1)[snapshot]
        ours = _of_interpreters(frames, capture, named.rows, "offsets")
        refined, keys = named.refined(np.where(ours, stack - _OTHER, 0))
        pairing = _pair(refined, keys + _OTHER, frames.stacks)
        self.shares = count_shares(frames, snapshot, ours, pairing.verdict[refined.chain_of])
        fits = pairing.verdict == Verdict.FRAMED
        added, function_of = python_functions(frames, len(named.functions))
        table = named.functions.extended(added)
        if self._lines:
            samples = np.bincount(refined.chain_of, minlength=len(keys)) * fits
            table = table.with_lines(line_counts(frames, keys + _OTHER, samples, function_of))
        chains = _interleaved(refined.chains, pairing, fits, frames.stacks, function_of)
        trampolined = _of_interpreters(frames, capture, named.rows, "trampoline")
        if trampolined.any():
            used = chains.taken(np.unique(refined.chain_of[trampolined])).function
            chains, table = name_trampolines(chains, table, np.unique(used).tolist())
        return NamedChains(
            table, chains, refined.rows, refined.chain_of, refined.reason_of, refined.reasons
        )


def _snapshots_of(
    frames: PythonFrames, capture: "Capture", rows: npt.NDArray[np.intp]
) -> npt.NDArray[np.int64]:
    """Return the snapshot read for each sample, -1 where there is none: same thread, same time."""
    found = np.full(len(rows), -1, np.int64)
    tids = np.array([thread.tid for thread in capture.threads], np.int64)[capture.thread[rows]]
    times = capture.time_ns[rows]
    first = np.searchsorted(frames.time_ns, times, "left")
    last = np.searchsorted(frames.time_ns, times, "right")
    ties = int((last - first).max(initial=0))
    for step in range(min(ties, _TIES_AT_MOST)):
        at = np.minimum(first + step, len(frames.time_ns) - 1)
        same = (first + step < last) & (frames.tid[at] == tids)
        found[same] = at[same]
    return found


def _of_interpreters(
    frames: PythonFrames, capture: "Capture", rows: npt.NDArray[np.intp], how: str
) -> npt.NDArray[np.bool_]:
    """Return which samples are of processes whose interpreters were treated so."""
    pids = {one.pid for one in frames.interpreters if one.how == how}
    of_thread = np.array([thread.pid in pids for thread in capture.threads], np.bool_)
    return of_thread[capture.thread[rows]]


def _pair(named: NamedChains, stack: npt.NDArray[np.int64], stacks: PythonStacks) -> _Pairing:
    """Return how each chain fits its stack; ``stack``: -1 none was read, -2 not to be looked at."""
    chains = named.chains
    first = np.append(stacks.run_offset, 0)[stack] * (stack >= 0)
    end = np.append(stacks.run_offset[1:], [0, 0])[stack] * (stack >= 0)
    whole = named.reason_of == WHOLE
    evaluates = _evaluations(named, stack > _OTHER, np.where(whole & (stack >= 0), end - first, -1))
    before = np.append(0, np.cumsum(evaluates))
    evaluations = before[chains.offset[1:]] - before[chains.offset[:-1]]
    agrees = np.where(whole, evaluations == end - first, evaluations <= end - first)
    # Where frames were read and no function was recognized as the loop, no chain tells whether it
    # evaluates.
    tells = bool(evaluates.any()) or not bool((end > first).any())
    verdict = np.select(
        [
            stack == _OTHER,
            tells & (evaluations == 0) & (~whole | (stack < 0)),
            stack < 0,
            agrees & (evaluations > 0),
        ],
        [Verdict.OTHER, Verdict.NATIVE, Verdict.UNREAD, Verdict.FRAMED],
        Verdict.MOVED_ON,
    ).astype(np.int8)
    return _Pairing(evaluates, evaluations, end - evaluations, verdict)


def _evaluations(
    named: NamedChains, of_python: npt.NDArray[np.bool_], runs: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Return which frames of the chains evaluate Python; ``runs`` as find_evaluators wants them."""
    chosen = np.flatnonzero(of_python)
    samples = np.bincount(named.chain_of, minlength=len(of_python))[chosen]
    evaluators = find_evaluators(named.chains.taken(chosen), named.functions, runs[chosen], samples)
    frames_of_python = np.repeat(of_python, np.diff(named.chains.offset))
    return frames_of_python & np.isin(named.chains.function, evaluators)


def _interleaved(
    chains: Chains,
    pairing: _Pairing,
    fits: npt.NDArray[np.bool_],
    stacks: PythonStacks,
    function_of: npt.NDArray[np.int64],
) -> Chains:
    """Return the chains, each evaluation of those that fit replaced by its run of functions."""
    of_frame = np.repeat(np.arange(len(fits)), np.diff(chains.offset))
    replaced = pairing.evaluates & fits[of_frame]
    # Evaluations are numbered through the chain, the outermost first, as runs are.
    before = np.append(0, np.cumsum(pairing.evaluates))
    nth = before[:-1] - before[chains.offset[:-1]][of_frame]
    run = (pairing.first_run[of_frame] + nth)[replaced]
    lengths = np.ones(len(of_frame), np.int64)
    lengths[replaced] = stacks.frame_offset[run + 1] - stacks.frame_offset[run]
    bounds = np.append(0, np.cumsum(lengths))
    function = np.repeat(chains.function, lengths)
    of_runs = np.repeat(replaced, lengths)
    starts = np.repeat(stacks.frame_offset[run] - bounds[:-1][replaced], lengths[replaced])
    function[of_runs] = function_of[stacks.code[starts + np.flatnonzero(of_runs)]]
    return Chains(bounds[chains.offset], function)
