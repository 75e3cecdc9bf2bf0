"""A profile cut to the nodes that matter: what one page can hold."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from topdown.stacks.profile import Function, FunctionKind, Profile, ProfileWarning
from topdown.stacks.profile_tree import node_levels, subtree_sums
from topdown.stacks.symbols.function_table import FunctionTable, kinds_of

FOLDED = Function("[stacks too narrow to show]", "", FunctionKind.UNKNOWN)


def prune(profile: Profile, most_nodes: int) -> Profile:
    """Return the profile with its heaviest nodes, at most ``most_nodes``; itself where it fits.

    What is left out stands as one frame under its nearest node that is kept, with its samples and
    weight: sums and shares of threads stay what they were. A warning says how much that is.
    """
    if len(profile.node_parent) <= most_nodes:
        return profile
    kept, holder, holders = _cut(profile, most_nodes)
    number = np.cumsum(kept) - 1
    folded_number = np.zeros(len(kept), np.int64)
    folded_number[holders] = kept.sum() + np.arange(len(holders))
    parent = profile.node_parent[kept]
    parent = np.append(np.where(parent < 0, -1, number[parent]), number[holders])
    function = np.append(profile.node_function[kept], np.full(len(holders), len(profile.functions)))
    leaf = profile.weight_node
    node = np.where(kept[leaf], number[leaf], folded_number[holder[leaf]])
    folded_value = int(profile.weight_value[~kept[leaf]].sum())
    rows, samples, value = _regrouped(profile, node)
    return replace(
        profile,
        functions=_with(profile.functions, FOLDED),
        node_parent=parent.astype(np.int32),
        node_function=function.astype(np.int32),
        weight_node=rows[0].astype(np.int32),
        weight_thread=rows[1].astype(np.int32),
        weight_samples=samples,
        weight_value=value,
        counted=None,
        warnings=(*profile.warnings, _warning(profile, folded_value)),
    )


def _cut(
    profile: Profile, most_nodes: int
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return which nodes are kept, each node's nearest kept one, and those with folded ones below.

    Kept nodes and frames for what is folded are at most ``most_nodes`` together: a kept node gets
    one such frame at most, so half of them always fits.
    """
    self_value = np.zeros(len(profile.node_parent), np.int64)
    np.add.at(self_value, profile.weight_node, profile.weight_value)
    total = subtree_sums(node_levels(profile.node_parent), profile.node_parent, self_value)
    # Whole and truncated chains stay apart, even those whose reason is too narrow to show.
    apart = kinds_of(profile.functions)[profile.node_function] == FunctionKind.TRUNCATED
    total[apart] = total[0]
    # A parent weighs at least as much and stands before: a stable order takes it first.
    heaviest = np.argsort(-total, kind="stable")
    leaf = profile.weight_node
    for count in (most_nodes * 9 // 10, most_nodes * 3 // 4, most_nodes // 2):
        kept = np.zeros(len(total), np.bool_)
        kept[heaviest[: max(1, count)]] = True
        holder = _nearest_kept(profile.node_parent, kept)
        holders = np.unique(holder[leaf][~kept[leaf]])
        if count + len(holders) <= most_nodes:
            break
    return kept, holder, holders


def _nearest_kept(
    parent: npt.NDArray[np.int32], kept: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    """Return for each node the nearest kept one on its way to the root, itself included."""
    nearest = np.arange(len(parent))
    rows = np.flatnonzero(~kept)
    while len(rows):
        nearest[rows] = parent[nearest[rows]]
        rows = rows[~kept[nearest[rows]]]
    return nearest


def _regrouped(
    profile: Profile, node: npt.NDArray[np.int64]
) -> tuple[
    tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
    npt.NDArray[np.int64],
    npt.NDArray[np.int64],
]:
    """Return (node, thread) without repetition, and the samples and values of each."""
    width = len(profile.threads)
    keys, inverse = np.unique(node * width + profile.weight_thread, return_inverse=True)
    samples = np.zeros(len(keys), np.int64)
    value = np.zeros(len(keys), np.int64)
    np.add.at(samples, inverse, profile.weight_samples)
    np.add.at(value, inverse, profile.weight_value)
    return (keys // width, keys % width), samples, value


def _with(functions: Sequence[Function], added: Function) -> Sequence[Function]:
    if isinstance(functions, FunctionTable):
        return functions.extended([added])
    return (*functions, added)


def _warning(profile: Profile, folded_value: int) -> ProfileWarning:
    share = folded_value / int(profile.weight_value.sum())
    return ProfileWarning(
        "stacks-folded",
        f"{share:.1%} of the time lies in stacks too narrow for one page: they are folded into "
        f"frames named {FOLDED.name}. The tables made without script count every function whole.",
    )
