"""Weights of samples other than their periods: wall time, time off the CPU.

Every view of a profile gets its weights from the profile, and `fold` gets them from here.
"""

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from topdown.stacks.folding.named_chains import ChainTransform
from topdown.stacks.profile import SampleSource
from topdown.stacks.profile_warning import ProfileWarning


class SampleWeights(Struct, frozen=True):
    """The samples to fold and their weights.

    ``rows`` intp (n,): samples of the capture, ascending, without repetition. ``values`` int64
    (n,): weights, not negative. ``other_thread`` uint32 and ``other_values`` int64 (m,): weight of
    threads of the capture without a sample, placed in the function ``[no stack]``.
    ``duration_s``: wall time of the recording. ``transform`` replaces the chains of the samples.
    """

    rows: npt.NDArray[np.intp]
    values: npt.NDArray[np.int64]
    source: SampleSource
    other_thread: npt.NDArray[np.uint32]
    other_values: npt.NDArray[np.int64]
    duration_s: float
    transform: ChainTransform | None = None
    warnings: tuple[ProfileWarning, ...] = ()

    def select(self, kept: npt.NDArray[np.bool_]) -> "SampleWeights":
        """Return the weights of some samples; weight without a sample is left out."""
        nothing = np.zeros(0, np.int64)
        return replace(
            self,
            rows=self.rows[kept],
            values=self.values[kept],
            other_thread=nothing.astype(np.uint32),
            other_values=nothing,
        )
