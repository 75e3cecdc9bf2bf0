"""A capture folded to a profile: samples of one event, as a weighted tree of functions."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stallscope.errors import UsageError
from topdown.stacks.call_tree import CallTree, Chains, build_tree, outermost_first
from topdown.stacks.function_table import FunctionTable
from topdown.stacks.inlining import Stacks, expand_inlined, expanded
from topdown.stacks.printable import NAME_AT_MOST, printable
from topdown.stacks.profile import Function, FunctionKind, Profile, Source, Thread
from topdown.stacks.profile import Warning as ProfileWarning
from topdown.stacks.symbolizer import NamedFrames, Symbolizer, WantedFrames

if TYPE_CHECKING:
    from stallscope._native import Attribute, Capture

_KERNEL_KIND = 1
_CLOCKS = frozenset({"cpu-clock", "task-clock"})
_SOFTWARE, _CLOCK_CONFIGS = 1, (0, 1)  # PERF_TYPE_SOFTWARE; CPU_CLOCK and TASK_CLOCK
_SUM_LIMIT = 1 << 62


@dataclass(frozen=True, slots=True)
class FoldOptions:
    """What to fold: an event by index or name (None: the first that has samples), and its frame.

    ``lost`` and ``duration_s`` are what the recording says; None: what the capture says. ``lines``:
    at how many of the hottest addresses source lines and inlined functions are looked for.
    """

    event: int | str | None = None
    title: str = ""
    lost: int | None = None
    duration_s: float | None = None
    lines: int = 0


def fold(capture: "Capture", symbolizer: Symbolizer, options: FoldOptions | None = None) -> Profile:
    """Return the profile of one event's samples.

    ``lost`` is the larger of two counts the kernel keeps, as both may count the same samples.
    Raises UsageError where the event asked for is not in the capture.
    """
    options = options or FoldOptions()
    event, warnings = _choose_event(capture, options.event)
    rows = np.flatnonzero(capture.event == event) if len(capture.attributes) else np.zeros(0, int)
    source = _source(capture.attributes[event]) if capture.attributes else _no_source()
    stacks, stack_of = np.unique(capture.stack[rows], return_inverse=True)
    chains = outermost_first(capture.stack_offset, capture.stack_frame, stacks.astype(np.intp))
    named = symbolizer.name_frames(capture, _wanted(capture, chains))
    samples_of = np.bincount(stack_of, minlength=len(stacks)).astype(np.int64)
    folded = _folded(capture, Stacks(chains, samples_of), symbolizer, named, options.lines)
    values, period_warnings = _values(capture.period[rows])
    unknown, truncated = _losses(capture, rows, (chains, stack_of), named, source)
    threads, thread_of = np.unique(capture.thread[rows], return_inverse=True)
    weights = _weights(folded.tree.leaf[stack_of], thread_of, values)
    lost = max(capture.lost_records, capture.lost_samples) if options.lost is None else options.lost
    return Profile(
        source=source,
        title=options.title,
        samples=len(rows),
        lost=lost,
        duration_s=_duration_s(capture, rows) if options.duration_s is None else options.duration_s,
        functions=folded.functions,
        threads=tuple(_thread(capture, number) for number in threads.tolist()),
        node_parent=folded.tree.parent,
        node_function=folded.tree.function,
        weight_node=weights[0],
        weight_thread=weights[1],
        weight_samples=weights[2],
        weight_value=weights[3],
        unknown_share=_share(unknown, values),
        truncated_share=_share(truncated, values),
        warnings=(*warnings, *period_warnings, *_capture_warnings(capture), *folded.warnings),
    )


def _wanted(capture: "Capture", chains: Chains) -> WantedFrames:
    wanted = np.zeros(len(capture.frame_address), np.bool_)
    outermost = np.zeros(len(capture.frame_address), np.bool_)
    wanted[chains.function] = True
    outermost[chains.function[chains.offset[:-1][np.diff(chains.offset) > 0]]] = True
    return WantedFrames(wanted, outermost)


def _choose_event(
    capture: "Capture", wanted: int | str | None
) -> tuple[int, tuple[ProfileWarning, ...]]:
    names = [attribute.name for attribute in capture.attributes]
    counts = np.bincount(capture.event, minlength=len(names))
    if isinstance(wanted, str) and wanted in names:
        return names.index(wanted), ()
    if isinstance(wanted, int) and 0 <= wanted < len(names):
        return wanted, ()
    if wanted is not None:
        there = ", ".join(printable(name) for name in names) or "none"
        raise UsageError(f"no event {wanted!r} in this capture", f"Its events are: {there}.")
    sampled = np.flatnonzero(counts)
    if len(sampled) < 2:
        return (int(sampled[0]) if len(sampled) else 0), ()
    others = ", ".join(f"{printable(names[i])} ({counts[i]} samples)" for i in sampled[1:].tolist())
    chosen = int(sampled[0])
    message = f"Only samples of {printable(names[chosen])} are shown; also recorded: {others}."
    return chosen, (ProfileWarning("other-events", message),)


def _source(attribute: "Attribute") -> Source:
    name = printable(attribute.name)
    clock = name.split(":", 1)[0] in _CLOCKS or (
        attribute.type == _SOFTWARE and attribute.config in _CLOCK_CONFIGS
    )
    scope = "user+kernel"
    if attribute.exclude_kernel or attribute.exclude_user:
        scope = "user" if attribute.exclude_kernel else "kernel"
    return Source(
        event=name,
        kind="measured",
        unit="ns" if clock else "events",
        frequency_hz=attribute.frequency_hz or None,
        period=attribute.period or None,
        scope=scope,
    )


def _no_source() -> Source:
    return Source("none", "unavailable", "events", None, None, "user+kernel")


@dataclass(frozen=True, slots=True)
class _Folded:
    """All functions, the tree of the chains, and what was missing."""

    functions: FunctionTable
    tree: CallTree
    warnings: tuple[ProfileWarning, ...]


def _folded(
    capture: "Capture", stacks: Stacks, symbolizer: Symbolizer, named: NamedFrames, lines: int
) -> _Folded:
    """Return the tree, with inlined functions where lines are asked for."""
    known, warnings = named.functions, named.warnings
    if lines:
        inlined = expand_inlined(capture, stacks, named, symbolizer.sources, lines)
        chains = expanded(stacks.chains, inlined)
        known = known.extended(inlined.added).with_lines(inlined.lines)
        warnings = (*warnings, *inlined.warnings)
    else:
        function = named.function[stacks.chains.function].astype(np.int64)
        chains = Chains(stacks.chains.offset, function)
    return _Folded(*_tree(chains, known), warnings)


def _tree(chains: Chains, known: FunctionTable) -> tuple[FunctionTable, CallTree]:
    """Return all functions, the root and that of empty chains among them, and the tree."""
    root = len(known)
    added = [Function("all", "", FunctionKind.ROOT)]
    empty = np.diff(chains.offset) == 0
    if empty.any():  # a sample without a stack is still a sample
        added.append(Function("[no stack]", "[unknown]", FunctionKind.UNKNOWN))
        function = np.insert(chains.function, chains.offset[:-1][empty], root + 1)
        chains = Chains(chains.offset + np.append(0, np.cumsum(empty)), function)
    return known.extended(added), build_tree(chains, root)


def _values(
    period: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.int64], tuple[ProfileWarning, ...]]:
    if not period.any():
        message = "The samples carry no periods: each counts as one."
        warnings = (ProfileWarning("no-periods", message),) if len(period) else ()
        return np.ones(len(period), np.int64), warnings
    limit = np.uint64(_SUM_LIMIT // len(period))
    if bool((period > limit).any()):
        message = f"Periods above {limit} are not credible, and count as that."
        warning = ProfileWarning("periods-cut", message)
        return np.minimum(period, limit).astype(np.int64), (warning,)
    return period.astype(np.int64), ()


def _losses(
    capture: "Capture",
    rows: npt.NDArray[np.intp],
    stacks: tuple[Chains, npt.NDArray[np.intp]],
    named: NamedFrames,
    source: Source,
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return whether each sample's leaf is unknown, and whether its chain is truncated."""
    chains, stack_of = stacks
    full = np.diff(chains.offset) > 0
    outermost = np.zeros(len(full), np.int64)
    leaf = np.zeros(len(full), np.int64)
    outermost[full] = chains.function[chains.offset[:-1][full]]
    leaf[full] = chains.function[chains.offset[1:][full] - 1]
    is_unknown = named.functions.kinds() == FunctionKind.UNKNOWN
    unknown = np.ones(len(full), np.bool_)
    unknown[full] = is_unknown[named.function[leaf[full]]]
    complete = np.zeros(len(full), np.bool_)
    complete[full] = named.ends_chain[outermost[full]]
    kernel_only = np.zeros(len(full), np.bool_)
    kernel_only[full] = capture.frame_kind[outermost[full]] == _KERNEL_KIND
    if source.scope == "kernel":
        complete |= kernel_only  # no user chain was asked for
    truncated = ~complete[stack_of]
    if named.kernel_hidden:
        alone = kernel_only[stack_of]
        truncated &= ~(alone & _in_kernel_process(capture, rows, alone))
    return unknown[stack_of], truncated


def _in_kernel_process(
    capture: "Capture", rows: npt.NDArray[np.intp], kernel_only: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Return whether each sample's process is the kernel's own: no user frame, nothing mapped."""
    pids = np.array([thread.pid for thread in capture.threads], np.int64)[capture.thread[rows]]
    mapped = {found.pid for found in capture.objects if not found.kernel}
    user = np.unique(np.append(pids[~kernel_only], list(mapped - {0})))
    return ~np.isin(pids, user)


def _weights(
    node: npt.NDArray[np.int64], thread: npt.NDArray[np.intp], values: npt.NDArray[np.int64]
) -> tuple[
    npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int64]
]:
    """Return node, thread, samples and value of each (node, thread) that was sampled."""
    width = int(thread.max(initial=0)) + 1
    keys, inverse = np.unique(node * width + thread, return_inverse=True)
    samples = np.bincount(inverse, minlength=len(keys)).astype(np.int64)
    value = np.zeros(len(keys), np.int64)
    np.add.at(value, inverse, values)
    return (keys // width).astype(np.int32), (keys % width).astype(np.int32), samples, value


def _share(chosen: npt.NDArray[np.bool_], values: npt.NDArray[np.int64]) -> float:
    total = int(values.sum())
    return int(values[chosen].sum()) / total if total else float("nan")


def _duration_s(capture: "Capture", rows: npt.NDArray[np.intp]) -> float:
    times = capture.time_ns[rows]
    times = times[times > 0]
    return (int(times.max()) - int(times.min())) / 1e9 if len(times) else float("nan")


def _thread(capture: "Capture", number: int) -> Thread:
    found = capture.threads[number]
    return Thread(
        found.pid,
        found.tid,
        found.process_name[:NAME_AT_MOST].decode("utf-8", "replace"),
        found.name[:NAME_AT_MOST].decode("utf-8", "replace"),
    )


def _capture_warnings(capture: "Capture") -> list[ProfileWarning]:
    warnings = []
    if capture.throttles:
        message = f"The kernel throttled sampling {capture.throttles} times: shares may be off."
        warnings.append(ProfileWarning("throttled", message))
    if capture.truncated_at is not None:
        message = f"The capture ends in the middle of a record, at offset {capture.truncated_at}."
        warnings.append(ProfileWarning("capture-truncated", message))
    return warnings
