"""Frames of a profile by block: self and total samples of each function."""

import math

import numpy as np

from harness.diff.rows import RowKey, RowSums, block_of
from stallscope.errors import RecordingError
from stallscope.statistics.block_shares import BLOCKS
from topdown.stacks.profile import Function, FunctionKind, Profile
from topdown.stacks.profile_tree import node_levels
from topdown.stacks.ranking import outermost

_NOT_FRAMES = (FunctionKind.ROOT, FunctionKind.TRUNCATED)
_NS = 1e9


def frame_key(function: Function) -> RowKey:
    """Return the key of a function: its name and the last part of its module."""
    return RowKey(function.name, function.module.rpartition("/")[2])


def frame_rows(profile: Profile, *, title: str) -> RowSums:
    """Return the functions of a profile with times.

    Raises RecordingError if samples have no times.
    """
    times = profile.times
    if times is None or not len(times.node):
        raise RecordingError(
            f"{title}: the samples have no times, so its noise is unknown",
            "record it again, or export it in a format with times, as text of perf script",
        )
    nodes = len(profile.node_parent)
    weights = np.zeros((nodes, BLOCKS))
    np.add.at(weights, (times.node, block_of(times.time_ns)), times.value.astype(float))
    below = weights.copy()
    for level in reversed(node_levels(profile.node_parent)[1:]):
        np.add.at(below, profile.node_parent[level], below[level])
    functions = len(profile.functions)
    own, total = np.zeros((functions, BLOCKS)), np.zeros((functions, BLOCKS))
    np.add.at(own, profile.node_function, weights)
    outer = outermost(profile)
    np.add.at(total, profile.node_function[outer], below[outer])
    chosen = [
        number
        for number, function in enumerate(profile.functions)
        if function.kind not in _NOT_FRAMES and total[number].any()
    ]
    constant = len(np.unique(times.value)) == 1
    return RowSums(
        keys=tuple(frame_key(profile.functions[number]) for number in chosen),
        parts=own[chosen],
        totals=total[chosen],
        whole=weights.sum(axis=0),
        samples=len(times.node) if constant else None,
        noun="frame",
        seconds=profile.duration_s if math.isfinite(profile.duration_s) else None,
        value_per_part_s=1 / _NS if profile.source.unit == "ns" else None,
    )
