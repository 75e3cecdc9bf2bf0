"""Samples of a benchmark as pictures draw them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class PlotSample:
    """The measured values of one benchmark or side, in the order of the runs.

    ``positions``: the place of each run among the runs of all samples, which shows what ran beside
    what; without them, runs are numbered from 1. NaN is a run without a value.
    """

    name: str
    values: Sequence[float]
    positions: Sequence[float] = ()

    def finite(self) -> "npt.NDArray[np.float64]":
        """Return the values that are numbers, in order."""
        values = np.asarray(self.values, dtype=float)
        numbers: npt.NDArray[np.float64] = values[np.isfinite(values)]
        return numbers

    def places(self) -> "npt.NDArray[np.float64]":
        """Return the place of each run."""
        if len(self.positions) == len(self.values):
            return np.asarray(self.positions, dtype=float)
        return np.arange(1.0, len(self.values) + 1)
