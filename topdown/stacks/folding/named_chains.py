"""The samples of one event as chains of named functions, from which the profile's tree is built.

A transformation may replace native chains at this point, for example by chains with the Python
functions that an interpreter evaluated: see ``FoldOptions.transform``.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.symbols.function_table import FunctionTable

if TYPE_CHECKING:
    from stallscope._native import Capture

WHOLE = -1  # the reason of a chain that is not truncated


class SampledStacks(Struct, frozen=True):
    """Unique stacks of one event: numbers in the capture, frames, sample counts, (n_chains,)."""

    numbers: npt.NDArray[np.intp]
    chains: Chains  # of frames, outermost first
    samples: npt.NDArray[np.int64]


class NamedChains(Struct, frozen=True):
    """Chains of functions, outermost first, and the samples that have them.

    ``chains.function`` are indexes into ``functions``. ``rows`` intp (n_samples,): the capture's
    samples, ascending; ``chain_of`` (n_samples,): the chain of each sample.
    ``reason_of`` int64 (n_chains,): why a chain is truncated, as an index into ``reasons``, or
    WHOLE. The function that names the reason is added when the tree is built.
    """

    functions: FunctionTable
    chains: Chains
    rows: npt.NDArray[np.intp]
    chain_of: npt.NDArray[np.integer]
    reason_of: npt.NDArray[np.int64]
    reasons: tuple[str, ...]

    def split_by(self, key: npt.NDArray[np.int64]) -> tuple["NamedChains", npt.NDArray[np.int64]]:
        """Return the chains split by a key of the samples, and the key of each chain.

        ``key`` (n_samples,) is 0 or larger. Samples with equal chain and key share a chain.
        """
        width = int(key.max(initial=0)) + 1
        keys = self.chain_of.astype(np.int64) * width + key
        pairs, chain_of = np.unique(keys, return_inverse=True)
        before, keys = np.divmod(pairs, width)
        chains = NamedChains(
            self.functions,
            self.chains.select(before),
            self.rows,
            chain_of.astype(np.int64),
            self.reason_of[before],
            self.reasons,
        )
        return chains, keys

    def with_samples_without_stack(self, count: int) -> "NamedChains":
        """Return the chains with further samples that share an empty chain; they have no rows."""
        if not count:
            return self
        empty = len(self.reason_of)
        return NamedChains(
            self.functions,
            Chains(np.append(self.chains.offset, self.chains.offset[-1]), self.chains.function),
            self.rows,
            np.append(self.chain_of, np.full(count, empty)),
            np.append(self.reason_of, WHOLE),
            self.reasons,
        )


ChainTransform = Callable[["Capture", NamedChains], NamedChains]
