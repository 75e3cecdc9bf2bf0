"""The samples of one event as chains of named functions: what becomes a profile's tree.

Who knows more about a sample than its native chain (which Python functions an interpreter's frame
evaluated) replaces chains at this point: see ``FoldOptions.interleave``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.symbols.function_table import FunctionTable

if TYPE_CHECKING:
    from stallscope._native import Capture

WHOLE = -1  # the reason of a chain that is not truncated


@dataclass(frozen=True, slots=True)
class SampledStacks:
    """Unique stacks of one event: numbers in the capture, frames, how many samples, (n_chains,)."""

    numbers: npt.NDArray[np.intp]
    chains: Chains  # of frames, outermost first
    samples: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NamedChains:
    """Chains of functions, outermost first, and the samples that have them.

    ``chains.function`` are indexes into ``functions``. ``rows`` intp (n_samples,): the capture's
    samples, ascending; ``chain_of`` int64 (n_samples,): the chain of each.
    ``reason_of`` int64 (n_chains,): why a chain is truncated, as an index into ``reasons``, or
    WHOLE. The function that says the reason is put in front later.
    """

    functions: FunctionTable
    chains: Chains
    rows: npt.NDArray[np.intp]
    chain_of: npt.NDArray[np.int64]
    reason_of: npt.NDArray[np.int64]
    reasons: tuple[str, ...]

    def refined(self, key: npt.NDArray[np.int64]) -> tuple["NamedChains", npt.NDArray[np.int64]]:
        """Return chains that samples with different keys do not share, and the key of each chain.

        ``key`` (n_samples,) is 0 or larger. Samples with the same chain and key share one chain.
        """
        width = int(key.max(initial=0)) + 1
        pairs, chain_of = np.unique(self.chain_of * width + key, return_inverse=True)
        before, keys = np.divmod(pairs, width)
        chains = NamedChains(
            self.functions,
            self.chains.taken(before),
            self.rows,
            chain_of.astype(np.int64),
            self.reason_of[before],
            self.reasons,
        )
        return chains, keys


Interleave = Callable[["Capture", NamedChains], NamedChains]
