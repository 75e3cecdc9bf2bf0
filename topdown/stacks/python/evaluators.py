"""Which native frames evaluate Python: the interpreter's evaluation loop, also in parts.

Its symbol is exported by every build. Compilers split it, though, and what is split off has no
symbol in a stripped interpreter, be it nearly all of the loop (Debian's 3.13). Then what was read
of the stacks shows it: the function without a name that occurs as often as there are runs.
"""

import numpy as np
import numpy.typing as npt

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.profile import FunctionKind
from topdown.stacks.symbols.function_table import FunctionTable

EVALUATOR = "_PyEval_EvalFrameDefault"
_CANDIDATES = 24
_PARTS_AT_MOST = 4
# A part has to explain at least this share of the samples, and can then be told from chance.
_LEAST_GAIN = 0.02
_LEAST_SAMPLES = 20


def find_evaluators(
    chains: Chains,
    functions: FunctionTable,
    runs: npt.NDArray[np.int64],
    samples: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Return the functions that evaluate Python in these chains, as indexes into ``functions``.

    ``runs`` (n_chains,): how many runs of Python frames each chain has, -1 where that is not known
    or the chain is cut; ``samples`` (n_chains,): how many samples have the chain.
    """
    used = np.unique(chains.function)
    evaluators = [at for at in used.tolist() if functions[at].name.startswith(EVALUATOR)]
    weights = samples * (runs >= 0)
    if weights.sum() < _LEAST_SAMPLES:
        return np.array(evaluators, np.int64)
    counts = _occurrences(chains, evaluators)
    agreed = _agreement(counts, runs, weights)
    candidates = [
        at
        for at in _most_seen(chains, weights, _CANDIDATES)
        if functions[at].kind == FunctionKind.UNKNOWN
    ]
    for _ in range(_PARTS_AT_MOST):
        trials = [
            (_agreement(counts + _occurrences(chains, [at]), runs, weights), at)
            for at in candidates
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
    """Return how often these functions stand in each chain."""
    before = np.append(0, np.cumsum(np.isin(chains.function, functions)))
    counts: npt.NDArray[np.int64] = before[chains.offset[1:]] - before[chains.offset[:-1]]
    return counts


def _agreement(
    counts: npt.NDArray[np.int64], runs: npt.NDArray[np.int64], weights: npt.NDArray[np.int64]
) -> int:
    return int(weights[(counts == runs) & (counts > 0)].sum())


def _most_seen(chains: Chains, weights: npt.NDArray[np.int64], count: int) -> list[int]:
    """Return the functions that stand in the chains of most samples, repetitions counted."""
    seen = np.bincount(chains.function, weights=np.repeat(weights, np.diff(chains.offset)))
    order = np.argsort(-seen, kind="stable")[:count]
    return [at for at in order.tolist() if seen[at] > 0]
