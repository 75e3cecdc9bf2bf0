"""Native functions that evaluate Python: the interpreter's evaluation loop and its parts.

Every build exports the symbol of the loop. Compilers may split the loop, and a part that is split
off has no symbol in a stripped interpreter; it may be nearly the whole loop (Debian's 3.13). Such a
part is identified by the Python stacks: an unnamed function that occurs once per run of frames.
"""

import numpy as np
import numpy.typing as npt

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.profile import FunctionKind
from topdown.stacks.symbols.function_table import FunctionTable

EVALUATOR = "_PyEval_EvalFrameDefault"
_CANDIDATES = 24
_MAX_PARTS = 4
# A part must explain at least this share of the samples, to exclude coincidence.
_LEAST_GAIN = 0.02
_LEAST_SAMPLES = 20


def find_evaluators(
    chains: Chains,
    functions: FunctionTable,
    runs: npt.NDArray[np.int64],
    samples: npt.NDArray[np.int64],
    names: tuple[str, ...] = (EVALUATOR,),
) -> npt.NDArray[np.int64]:
    """Return the functions that evaluate Python in these chains, as indexes into ``functions``.

    ``runs`` (n_chains,): number of runs of Python frames in each chain, -1 if it is not known or
    the chain is truncated; ``samples`` (n_chains,): number of samples of each chain.
    ``names``: beginnings of the names of the loop.
    """
    used = np.unique(chains.function)
    evaluators = [index for index in used.tolist() if functions[index].name.startswith(names)]
    weights = samples * (runs >= 0)
    if weights.sum() < _LEAST_SAMPLES:
        return np.array(evaluators, np.int64)
    counts = _occurrences(chains, evaluators)
    agreed = _agreement(counts, runs, weights)
    candidates = [
        index
        for index in _most_frequent(chains, weights, _CANDIDATES)
        if functions[index].kind == FunctionKind.UNKNOWN
    ]
    for _ in range(_MAX_PARTS):
        trials = [
            (_agreement(counts + _occurrences(chains, [index]), runs, weights), index)
            for index in candidates
        ]
        best, part = max(trials, default=(0, -1))
        if best - agreed < _LEAST_GAIN * weights.sum():
            break
        counts += _occurrences(chains, [part])
        agreed = best
        evaluators.append(part)
        candidates.remove(part)
    return np.array(evaluators, np.int64)


def _occurrences(chains: Chains, functions: list[int]) -> npt.NDArray[np.int64]:
    """Return the number of occurrences of these functions in each chain."""
    before = np.append(0, np.cumsum(np.isin(chains.function, functions)))
    counts: npt.NDArray[np.int64] = before[chains.offset[1:]] - before[chains.offset[:-1]]
    return counts


def _agreement(
    counts: npt.NDArray[np.int64], runs: npt.NDArray[np.int64], weights: npt.NDArray[np.int64]
) -> int:
    return int(weights[(counts == runs) & (counts > 0)].sum())


def _most_frequent(chains: Chains, weights: npt.NDArray[np.int64], count: int) -> list[int]:
    """Return the functions with most occurrences, weighted by samples."""
    occurrences = np.bincount(chains.function, weights=np.repeat(weights, np.diff(chains.offset)))
    order = np.argsort(-occurrences, kind="stable")[:count]
    return [index for index in order.tolist() if occurrences[index] > 0]
