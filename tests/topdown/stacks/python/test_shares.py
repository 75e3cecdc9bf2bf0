"""Counts of samples by how they match the Python frames that were read."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from topdown.stacks.python.shares import FrameMatch, count_shares


def test_only_samples_of_python_processes_count() -> None:
    interpreters = [
        SimpleNamespace(how="offsets", version="3.12"),
        SimpleNamespace(how="offsets", version="3.11"),
        SimpleNamespace(how="trampoline", version="3.13"),
    ]
    gil = np.array([1, 0, -1], np.int8)  # by snapshot: held, not held, unknown
    frames: Any = SimpleNamespace(gil=gil, interpreters=interpreters, torn=1, late=2)
    match = np.array([FrameMatch.FRAMED] * 3 + [FrameMatch.NATIVE, FrameMatch.OTHER], np.int8)
    shares = count_shares(frames, np.array([0, 1, 2, -1, 0]), np.array([True] * 4 + [False]), match)
    assert shares.versions == ("3.11", "3.12")
    assert (shares.samples, shares.framed, shares.native, shares.trampolined) == (4, 3, 1, 1)
    assert (shares.gil_held, shares.gil_known, shares.gil_share) == (1, 2, 0.5)
    assert shares.share(shares.framed) == 0.75


def test_shares_without_samples_are_unknown() -> None:
    frames: Any = SimpleNamespace(gil=np.empty(0, np.int8), interpreters=[], torn=0, late=0)
    none = np.empty(0, int)
    shares = count_shares(frames, none, none.astype(bool), none.astype(np.int8))
    assert math.isnan(shares.share(0))
    assert math.isnan(shares.gil_share)
