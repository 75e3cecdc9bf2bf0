"""Pruning of a profile to its heaviest nodes, for the size limit of a page."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from topdown.stacks.profile import Function, FunctionKind, Profile
from topdown.stacks.profile_tree import node_levels, subtree_sums
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.function_table import FunctionTable, kinds_of

FOLDED = Function("[stacks too narrow to show]", "", FunctionKind.UNKNOWN)


def prune(profile: Profile, max_nodes: int) -> Profile:
    """Return the profile with at most ``max_nodes`` nodes, the heaviest ones.

    Removed nodes are replaced by one frame below the nearest kept ancestor, with their samples and
    weight: sums and shares of threads do not change. A warning states the share.
    """
    if len(profile.node_parent) <= max_nodes:
        return profile
    kept, holder, holders = _cut(profile, max_nodes)
    number = np.cumsum(kept) - 1
    folded_number = np.zeros(len(kept), np.int64)
    folded_number[holders] = kept.sum() + np.arange(len(holders))
    parent = profile.node_parent[kept]
    parent = np.append(np.where(parent < 0, -1, number[parent]), number[holders])
    function = np.append(profile.node_function[kept], np.full(len(holders), len(profile.functions)))
    leaf = profile.weight_node
    node = np.where(kept[leaf], number[leaf], folded_number[holder[leaf]])
    folded_value = int(profile.weight_value[~kept[leaf]].sum())
    rows, samples, value = _merge_weights(profile, node)
    return replace(
        profile,
        functions=_append_function(profile.functions, FOLDED),
        node_parent=parent.astype(np.int32),
        node_function=function.astype(np.int32),
        weight_node=rows[0].astype(np.int32),
        weight_thread=rows[1].astype(np.int32),
        weight_samples=samples,
        weight_value=value,
        counted=None,
        times=None,
        warnings=(*profile.warnings, _warning(profile, folded_value)),
    )


def _cut(
    profile: Profile, max_nodes: int
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return which nodes are kept, each node's nearest kept ancestor, and parents of removed nodes.

    Kept nodes and frames for removed nodes are at most ``max_nodes`` together: a kept node gets at
    most one such frame, so half of the limit always fits.
    """
    self_value = np.zeros(len(profile.node_parent), np.int64)
    np.add.at(self_value, profile.weight_node, profile.weight_value)
    total = subtree_sums(node_levels(profile.node_parent), profile.node_parent, self_value)
    # Complete and truncated chains stay separate, even if a reason is too narrow to show.
    is_truncated = kinds_of(profile.functions)[profile.node_function] == FunctionKind.TRUNCATED
    total[is_truncated] = total[0]
    # A parent weighs at least as much and comes first: a stable sort keeps it first.
    heaviest = np.argsort(-total, kind="stable")
    leaf = profile.weight_node
    for count in (max_nodes * 9 // 10, max_nodes * 3 // 4, max_nodes // 2):
        is_wide = np.zeros(len(total), np.bool_)
        is_wide[heaviest[: max(1, count)]] = True
        holder = _nearest_kept(profile.node_parent, is_wide)
        holders = np.unique(holder[leaf][~is_wide[leaf]])
        if count + len(holders) <= max_nodes:
            break
    return is_wide, holder, holders


def _nearest_kept(
    parent: npt.NDArray[np.int32], kept: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    """Return for each node the nearest kept node on the path to the root, including itself."""
    nearest = np.arange(len(parent))
    rows = np.flatnonzero(~kept)
    while len(rows):
        nearest[rows] = parent[nearest[rows]]
        rows = rows[~kept[nearest[rows]]]
    return nearest


def _merge_weights(
    profile: Profile, node: npt.NDArray[np.int64]
) -> tuple[
    tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
    npt.NDArray[np.int64],
    npt.NDArray[np.int64],
]:
    """Return unique (node, thread) pairs, and the samples and values of each."""
    width = len(profile.threads)
    keys, inverse = np.unique(node * width + profile.weight_thread, return_inverse=True)
    samples = np.zeros(len(keys), np.int64)
    value = np.zeros(len(keys), np.int64)
    np.add.at(samples, inverse, profile.weight_samples)
    np.add.at(value, inverse, profile.weight_value)
    return (keys // width, keys % width), samples, value


def _append_function(functions: Sequence[Function], added: Function) -> Sequence[Function]:
    if isinstance(functions, FunctionTable):
        return functions.extended([added])
    return (*functions, added)


def _warning(profile: Profile, folded_value: int) -> ProfileWarning:
    share = folded_value / int(profile.weight_value.sum())
    return ProfileWarning(
        "stacks-folded",
        f"{share:.1%} of the time is in stacks too narrow for the page: they are folded into "
        f"frames named {FOLDED.name}. The static tables include every function in full.",
    )
