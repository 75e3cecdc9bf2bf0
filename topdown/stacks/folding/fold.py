"""Folding: the samples of one event of a capture as a weighted tree of functions."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from stallscope.printable import MAX_NAME_LENGTH
from topdown.stacks.blocks import counted, gathered, selected
from topdown.stacks.captures.events import EventSamples, select_event
from topdown.stacks.captures.group_counts import count_samples
from topdown.stacks.folding.call_tree import CallTree, Chains, build_tree, outermost_first
from topdown.stacks.folding.named_chains import WHOLE, ChainTransform, NamedChains, SampledStacks
from topdown.stacks.folding.sample_weights import SampleWeights
from topdown.stacks.folding.truncation import (
    complete_kernel_threads,
    find_truncation,
    stack_shares,
    truncated_functions,
)
from topdown.stacks.numbering import numbered, sums_by_key
from topdown.stacks.profile import (
    Function,
    FunctionKind,
    Profile,
    SourceLineCounts,
    Thread,
)
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.sample_times import SampleTimes
from topdown.stacks.symbols.function_table import FunctionTable
from topdown.stacks.symbols.symbolizer import FrameSelection, Symbolizer

if TYPE_CHECKING:
    from stallscope._native import Capture

_SUM_LIMIT = 1 << 62
_Weights = tuple[
    npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int64]
]


class FoldOptions(Struct, frozen=True):
    """What to fold.

    ``event``: attribute number or name; None: the first event with samples.
    ``lost`` and ``duration_s``: values from the recording; None: values from the capture.
    ``lines``: number of hottest addresses for which source lines and inlined functions are looked
    up; ``inlined``: number of addresses for inlined functions only.
    ``verified_pids``: processes whose chains by frame pointers were compared with unwound stacks.
    ``transform`` replaces chains after they are named. ``weights``: samples and weights to use
    instead of the periods of an event's samples. ``times``: keep the samples' times.
    ``period_ns``: fold the samples of this period only, in ns since the first sample of the event.
    """

    event: int | str | None = None
    title: str = ""
    lost: int | None = None
    duration_s: float | None = None
    lines: int = 0
    inlined: int = 0
    verified_pids: frozenset[int] = frozenset()
    transform: ChainTransform | None = None
    weights: SampleWeights | None = None
    times: bool = False
    period_ns: tuple[int, int] | None = None


def fold(capture: "Capture", symbolizer: Symbolizer, options: FoldOptions | None = None) -> Profile:
    """Return the profile of one event's samples.

    ``lost`` is the larger of two kernel counts, because both may count the same samples.
    Raises UsageError if the requested event is not in the capture.
    """
    options = options or FoldOptions()
    event, weighted = _within_period(capture, _selected(capture, options), options)
    rows = event.rows
    chains, line_counts, naming_warnings = _named_chains(capture, symbolizer, event, options)
    if weighted is None:
        values, period_warnings = _values(selected(capture.period, rows))
        thread: npt.NDArray[np.integer] = selected(capture.thread, rows)
    else:
        values = np.append(weighted.values, weighted.other_values)
        thread, period_warnings = np.append(capture.thread[rows], weighted.other_thread), ()
        if weighted.transform is not None:
            chains = weighted.transform(capture, chains)
        chains = chains.with_samples_without_stack(len(weighted.other_values))
    functions, tree = _tree(chains)
    threads, thread_of = numbered(thread, len(capture.threads))
    leaf = gathered(tree.leaf.astype(np.int32), chains.chain_of)
    weights = _weights(leaf, thread_of, values)
    lost = max(capture.lost_records, capture.lost_samples) if options.lost is None else options.lost
    shares = stack_shares(chains, values)
    return Profile(
        source=event.source,
        title=options.title,
        samples=len(rows),
        lost=lost,
        duration_s=_duration_s(capture, rows, options),
        functions=functions,
        threads=tuple(_thread(capture, number) for number in threads.tolist()),
        node_parent=tree.parent,
        node_function=tree.function,
        weight_node=weights[0],
        weight_thread=weights[1],
        weight_samples=weights[2],
        weight_value=weights[3],
        unknown_share=_unknown_share(functions, tree, weights),
        truncated_share=shares.truncated,
        warnings=(
            *event.warnings,
            *period_warnings,
            *_capture_warnings(capture),
            *naming_warnings,
        ),
        stack_shares=shares,
        counted=count_samples(capture, rows, leaf) if weighted is None else None,
        times=_times(capture, rows, leaf, thread_of, values) if options.times else None,
        lines=line_counts,
    )


def _times(
    capture: "Capture",
    rows: npt.NDArray[np.intp],
    leaf: npt.NDArray[np.int32],
    thread: npt.NDArray[np.integer],
    values: npt.NDArray[np.int64],
) -> SampleTimes | None:
    """Return the times of the samples, which are in their order; None if they have none."""
    clock_ns = selected(capture.time_ns, rows)
    if not clock_ns.any():
        return None
    count = len(rows)
    return SampleTimes(clock_ns, leaf[:count], thread[:count], values[:count], int(clock_ns.min()))


def _within_period(
    capture: "Capture", event: EventSamples, options: FoldOptions
) -> tuple[EventSamples, SampleWeights | None]:
    """Return the event's samples of the requested period, and their weights, if given."""
    weighted = options.weights
    if options.period_ns is None or not len(event.rows):
        return event, weighted
    time_ns = capture.time_ns[event.rows]
    since = time_ns - time_ns.min()
    begin, end = options.period_ns
    within = (since >= np.uint64(begin)) & (since < np.uint64(end))
    event = replace(event, rows=event.rows[within])
    return event, None if weighted is None else weighted.select(within)


def _selected(capture: "Capture", options: FoldOptions) -> EventSamples:
    if options.weights is None:
        return select_event(capture, options.event)
    return EventSamples(options.weights.rows, options.weights.source, options.weights.warnings)


def _named_chains(
    capture: "Capture", symbolizer: Symbolizer, event: EventSamples, options: FoldOptions
) -> tuple[NamedChains, tuple[SourceLineCounts, ...], tuple[ProfileWarning, ...]]:
    """Return the event's samples as chains of functions, the source lines, and warnings."""
    stack = selected(capture.stack, event.rows)
    numbers, stack_of = numbered(stack, len(capture.stack_offset) - 1)
    frames = outermost_first(capture.stack_offset, capture.stack_frame, numbers.astype(np.intp))
    samples_of = counted(stack_of, len(numbers))
    stacks = SampledStacks(numbers.astype(np.intp), frames, samples_of)
    named = symbolizer.name_frames(capture, _frame_selection(capture, frames))
    truncation = find_truncation(
        capture,
        stacks,
        named,
        expects_user_frames=event.source.scope != "kernel",
        verified=_verified_chains(capture, event, stack_of, len(numbers), options.verified_pids),
    )
    functions, warnings = named.functions, named.warnings
    line_counts: tuple[SourceLineCounts, ...] = ()
    if hottest := max(options.lines, options.inlined):
        from topdown.stacks.folding.inlining import (  # noqa: PLC0415 - rarely needed
            expand_chains,
            expand_inlined,
        )

        inlined = expand_inlined(capture, stacks, named, symbolizer.sources, hottest)
        functions = functions.extended(inlined.added)
        functions = functions.with_lines(inlined.lines if options.lines else {})
        line_counts = inlined.counts if options.lines else ()
        warnings = (*warnings, *inlined.warnings)
        function_chains = expand_chains(frames, inlined)
    else:
        function_chains = Chains(frames.offset, named.function[frames.function].astype(np.int64))
    chains = NamedChains(
        functions, function_chains, event.rows, stack_of, truncation.reason_of, truncation.reasons
    )
    if named.kernel_hidden:
        chains = complete_kernel_threads(capture, chains, truncation.kernel_only)
    if options.transform is not None:
        chains = options.transform(capture, chains)
    return chains, line_counts, warnings


def _verified_chains(
    capture: "Capture",
    event: EventSamples,
    stack_of: npt.NDArray[np.integer],
    count: int,
    verified_pids: frozenset[int],
) -> npt.NDArray[np.bool_] | None:
    """Return whether all samples of each chain are of verified processes; None without these."""
    if not verified_pids:
        return None
    is_verified = np.array([thread.pid in verified_pids for thread in capture.threads], np.bool_)
    others = ~is_verified[capture.thread[event.rows]]
    return np.asarray(np.bincount(stack_of[others], minlength=count) == 0)


def _frame_selection(capture: "Capture", chains: Chains) -> FrameSelection:
    selected = np.zeros(len(capture.frame_address), np.bool_)
    outermost = np.zeros(len(capture.frame_address), np.bool_)
    selected[chains.function] = True
    outermost[chains.function[chains.offset[:-1][np.diff(chains.offset) > 0]]] = True
    return FrameSelection(selected, outermost)


def _tree(named: NamedChains) -> tuple[FunctionTable, CallTree]:
    """Return all functions, including placeholders, and the tree.

    A truncated chain is placed below a function that names the reason. A sample without a stack
    is placed in the function ``[no stack]``.
    """
    root = len(named.functions)
    added = [Function("all", "", FunctionKind.ROOT), *truncated_functions(named.reasons)]
    chains = named.chains
    empty = np.diff(chains.offset) == 0
    if empty.any():
        chains = chains.prepend(empty, root + len(added))
        added.append(Function("[no stack]", "[unknown]", FunctionKind.UNKNOWN))
    truncated = named.reason_of != WHOLE
    chains = chains.prepend(truncated, named.reason_of[truncated] + root + 1)
    return named.functions.extended(added), build_tree(chains, root)


def _values(
    period: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.int64], tuple[ProfileWarning, ...]]:
    if (value := _uniform(period)) is not None and 0 < value <= _SUM_LIMIT // len(period):
        return np.broadcast_to(np.int64(value), len(period)), ()
    if not period.any():
        message = "The samples have no periods: each counts as 1."
        warnings = (ProfileWarning("no-periods", message),) if len(period) else ()
        return np.ones(len(period), np.int64), warnings
    limit = np.uint64(_SUM_LIMIT // len(period))
    if bool((period > limit).any()):
        message = f"Periods above {limit} are implausible and are counted as {limit}."
        warning = ProfileWarning("periods-cut", message)
        return np.minimum(period, limit).astype(np.int64), (warning,)
    return period.astype(np.int64), ()


def _uniform(period: npt.NDArray[np.uint64]) -> int | None:
    """Return the period of all samples if the array holds it once, for all of them."""
    return int(period[0]) if len(period) > 1 and period.strides == (0,) else None


def _weights(
    node: npt.NDArray[np.int32], thread: npt.NDArray[np.integer], values: npt.NDArray[np.int64]
) -> _Weights:
    """Return node, thread, samples and value of each sampled (node, thread) pair."""
    width = int(thread.max(initial=0)) + 1
    keys, samples, value = sums_by_key(
        lambda block: node[block].astype(np.int64) * width + thread[block],
        values,
        (int(node.max(initial=0)) + 1) * width,
    )
    return (keys // width).astype(np.int32), (keys % width).astype(np.int32), samples, value


def _unknown_share(functions: FunctionTable, tree: CallTree, weights: _Weights) -> float:
    """Return the share of the weight in leaves without a symbol."""
    node, _, _, value = weights
    total = int(value.sum())
    unknown = functions.kinds()[tree.function[node]] == FunctionKind.UNKNOWN
    return int(value[unknown].sum()) / total if total else float("nan")


def _duration_s(capture: "Capture", rows: npt.NDArray[np.intp], options: FoldOptions) -> float:
    if options.weights is not None:
        return options.weights.duration_s
    if options.duration_s is not None:
        return options.duration_s
    times = capture.time_ns[rows]
    times = times[times > 0]
    return (int(times.max()) - int(times.min())) / 1e9 if len(times) else float("nan")


def _thread(capture: "Capture", number: int) -> Thread:
    thread = capture.threads[number]
    return Thread(
        thread.pid,
        thread.tid,
        thread.process_name[:MAX_NAME_LENGTH].decode("utf-8", "replace"),
        thread.name[:MAX_NAME_LENGTH].decode("utf-8", "replace"),
    )


def _capture_warnings(capture: "Capture") -> list[ProfileWarning]:
    warnings = []
    if capture.throttles:
        message = (
            f"The kernel throttled sampling {capture.throttles} times, each time until the next "
            "tick: shares may be wrong. Sample less often (-F, -c), or raise "
            "kernel.perf_event_max_sample_rate, which the kernel lowers automatically."
        )
        warnings.append(ProfileWarning("throttled", message))
    if capture.deferred_stacks:
        message = (
            f"{capture.deferred_stacks:,} samples have a deferred user stack that is not in the "
            "capture: their stacks end at the kernel. The recording ended before, or it was lost."
        )
        warnings.append(ProfileWarning("deferred-stacks", message))
    if capture.unknown_records:
        message = (
            f"{capture.unknown_records:,} records of unknown types were skipped: the capture was "
            "made by a newer perf or kernel than this version knows."
        )
        warnings.append(ProfileWarning("unknown-records", message))
    return warnings
