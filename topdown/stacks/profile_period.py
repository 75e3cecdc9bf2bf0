"""A period of a profile whose samples have times."""

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from topdown.stacks.leaf_shares import leaf_shares
from topdown.stacks.numbering import sums_by_key
from topdown.stacks.profile import Profile
from topdown.stacks.profile_tree import node_levels
from topdown.stacks.sample_times import SampleTimes

Int32 = npt.NDArray[np.int32]


def within_period(profile: Profile, begin_ns: int, end_ns: int) -> Profile:
    """Return the profile of the samples from ``begin_ns`` to before ``end_ns``.

    Both count from the first sample; the profile has times. Nodes and functions without a sample
    in the period are left out. The duration is that from the first to the last sample.
    """
    times = profile.times
    assert times is not None
    since = times.time_ns
    rows = np.flatnonzero((since >= begin_ns) & (since < end_ns))
    width = max(1, len(profile.threads))
    node, thread, value = times.node[rows], times.thread[rows], times.value[rows]
    keys, samples, values = sums_by_key(
        lambda block: node[block].astype(np.int64) * width + thread[block],
        value,
        len(profile.node_parent) * width,
    )
    leaves, weight_thread = keys // width, keys % width
    parent, function, new_node = _used_tree(profile, leaves)
    used, new_function = np.unique(function, return_inverse=True)
    functions = tuple(profile.functions[number] for number in used.tolist())
    function = new_function.astype(np.int32)
    weight_node = new_node[leaves]
    unknown, truncated = leaf_shares(functions, parent, function, weight_node, values)
    clock = times.clock_ns[rows]
    first = int(clock[0]) if len(rows) else 0
    return replace(
        profile,
        samples=len(rows),
        duration_s=(int(clock[-1]) - first) / 1e9 if len(rows) else float("nan"),
        functions=functions,
        node_parent=parent,
        node_function=function,
        weight_node=weight_node,
        weight_thread=weight_thread.astype(np.int32),
        weight_samples=samples,
        weight_value=values,
        unknown_share=unknown,
        truncated_share=truncated,
        counted=None,
        times=SampleTimes(clock, new_node[node], thread, value, first) if len(rows) else None,
    )


def _used_tree(profile: Profile, leaves: npt.NDArray[np.int64]) -> tuple[Int32, Int32, Int32]:
    """Return parents and functions of the nodes above the leaves, and the new number by node."""
    parent = profile.node_parent
    used = np.zeros(len(parent), np.bool_)
    used[0] = True
    used[leaves] = True
    for nodes in reversed(node_levels(parent)[1:]):
        used[parent[nodes[used[nodes]]]] = True
    new_node = (np.cumsum(used) - 1).astype(np.int32)
    above = parent[used]
    new_parent = np.where(above < 0, -1, new_node[above]).astype(np.int32)
    return new_parent, profile.node_function[used], new_node
