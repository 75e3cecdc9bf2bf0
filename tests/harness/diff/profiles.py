"""Simulated profiles with times for tests of `stallscope diff`."""

from functools import cache

import numpy as np
from msgspec.structs import replace

from harness.diff.result import DiffSide
from tests.profile_builder import ProfileBuilder
from topdown.stacks.profile import Profile
from topdown.stacks.sample_times import SampleTimes

FUNCTIONS = 500
HOT = 3  # the function that may become slower


@cache
def _weights() -> np.ndarray:
    """Return the time of each function: a hot one of a third, others by Zipf's law."""
    weights = 1 / np.arange(2.0, FUNCTIONS + 2)
    weights[HOT] = 0
    weights /= 2 * weights.sum()
    weights[HOT] = 0.5
    return weights


def profile(
    seed: int, *, slower: float = 1.0, samples: int = 100_000, extra: str | None = None
) -> Profile:
    """Return a profile of main and its 500 functions; ``extra`` is one function more."""
    weights = _weights().copy()
    weights[HOT] *= slower
    if extra is not None:
        weights = np.append(weights, 0.01)
    generator = np.random.default_rng(seed)
    total = round(samples * float(weights.sum()))
    leaf = 2 + generator.choice(len(weights), total, p=weights / weights.sum()).astype(np.int32)
    counts = np.bincount(leaf, minlength=len(weights) + 2)[2:]
    built = _tree(extra)
    return replace(
        built,
        samples=total,
        weight_samples=counts,
        weight_value=counts * 1_000_000,
        times=SampleTimes(
            np.arange(total, dtype=np.int64) * 1_000_000,
            leaf,
            np.zeros(total, np.int32),
            np.full(total, 1_000_000, np.int64),
        ),
    )


@cache
def _tree(extra: str | None) -> Profile:
    """Return main and its functions as nodes 1, 2 and so on, without weights."""
    names = [f"function_{number}" for number in range(FUNCTIONS)]
    names += [] if extra is None else [extra]
    return ProfileBuilder().build([(("main", name), 0) for name in names])


SIDE = DiffSide(recording="run", title="it", host="h", cpu="c", kernel="k", seconds=1.0, samples=9)
