"""Inlined functions of frames, and source lines of functions."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.folding.named_chains import SampledStacks
from topdown.stacks.profile import (
    Function,
    FunctionKind,
    SourceLineCounts,
)
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.function_table import demangled
from topdown.stacks.symbols.source_lines import find_source_lines
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.symbolizer import NamedFrames

if TYPE_CHECKING:
    from stallscope._native import Capture

_USER = 0
_LINES_PER_FUNCTION = 16


@dataclass(frozen=True, slots=True)
class InlinedFunctions:
    """Functions of each frame including inlined functions, and source lines.

    ``offset`` int64 (n_frames + 1,), ``function`` int64: the functions of frame i, outermost first,
    are ``function[offset[i]:offset[i + 1]]``. ``added``: inlined functions, numbered after the
    named functions.
    """

    offset: npt.NDArray[np.int64]
    function: npt.NDArray[np.int64]
    added: tuple[Function, ...]
    lines: dict[int, tuple[tuple[str, int], ...]]  # by function
    counts: tuple[SourceLineCounts, ...]
    warnings: tuple[ProfileWarning, ...]


def expand_inlined(
    capture: "Capture",
    stacks: SampledStacks,
    named: NamedFrames,
    sources: SymbolSources,
    hottest: int,
) -> InlinedFunctions:
    """Return the functions of each frame, with the functions inlined at the hottest addresses.

    These are the ``hottest`` leaf addresses with most samples, and as many call sites.
    """
    count = len(named.function)
    leaf_samples, call_samples = _samples_by_frame(stacks, count)
    user = (capture.frame_kind == _USER) & (named.function >= 0)
    hot_frames = dict.fromkeys(
        _top(leaf_samples * user, hottest) + _top(call_samples * user, hottest)
    )
    source = find_source_lines(capture, np.array(list(hot_frames), np.intp), sources)
    added: dict[tuple[bytes, str], int] = {}
    expansions: dict[int, list[int]] = {}
    counts: dict[int, Counter[str]] = {}
    places: dict[int, tuple[str, int]] = {}  # line and innermost function of a frame
    function_count = len(named.functions)
    for frame, location in source.locations.items():
        outer = int(named.function[frame])
        module = named.functions[outer].module
        ids = [
            function_count + added.setdefault((name, module), len(added))
            for name in location.inlined
        ]
        if ids:
            expansions[frame] = [outer, *ids]
        if location.line is not None:
            places[frame] = (location.line, [outer, *ids][-1])
            if leaf_samples[frame]:
                counts.setdefault([outer, *ids][-1], Counter())[location.line] += int(
                    leaf_samples[frame]
                )
    names = demangled([name for name, _ in added])
    functions = tuple(
        Function(name, module, FunctionKind.INLINED)
        for name, (_, module) in zip(names, added, strict=True)
    )
    lines = {
        at: tuple(lines_of.most_common(_LINES_PER_FUNCTION)) for at, lines_of in counts.items()
    }
    offset, function = _flatten(named, expansions)
    line_counts = _line_counts(stacks, places, named, functions)
    return InlinedFunctions(offset, function, functions, lines, line_counts, source.warnings)


def _line_counts(
    stacks: SampledStacks,
    places: dict[int, tuple[str, int]],
    named: NamedFrames,
    added: tuple[Function, ...],
) -> tuple[SourceLineCounts, ...]:
    """Return the samples of each line in each function, those with most samples first."""
    numbers = {place: number for number, place in enumerate(dict.fromkeys(places.values()))}
    if not numbers:
        return ()
    of_frame = np.full(len(named.function), -1, np.int64)
    of_frame[list(places)] = [numbers[place] for place in places.values()]
    offset, count = stacks.chains.offset, len(numbers)
    line = of_frame[stacks.chains.function]
    chain = np.repeat(np.arange(len(offset) - 1), np.diff(offset))
    pairs = np.unique(chain[line >= 0] * count + line[line >= 0])  # once per stack
    total, own = np.zeros(count, np.int64), np.zeros(count, np.int64)
    np.add.at(total, pairs % count, stacks.samples[pairs // count])
    full = np.diff(offset) > 0
    leaf = line[offset[1:][full] - 1]
    np.add.at(own, leaf[leaf >= 0], stacks.samples[full][leaf >= 0])
    first_added = len(named.functions)
    rows = []
    for (text, function), number in numbers.items():
        shown = (
            named.functions[function] if function < first_added else added[function - first_added]
        )
        rows.append(
            SourceLineCounts(text, shown.name, shown.module, int(own[number]), int(total[number]))
        )
    return tuple(sorted(rows, key=lambda row: (-row.self_samples, -row.total_samples, row.line)))


def expand_chains(chains: Chains, inlined: InlinedFunctions) -> Chains:
    """Return chains of functions from chains of frames."""
    starts = inlined.offset[chains.function]
    lengths = inlined.offset[chains.function + 1] - starts
    bounds = np.append(0, np.cumsum(lengths))
    places = np.repeat(starts - bounds[:-1], lengths) + np.arange(bounds[-1])
    return Chains(bounds[chains.offset], inlined.function[places])


def _samples_by_frame(
    stacks: SampledStacks, count: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the number of samples in which each frame is the leaf, and a caller."""
    leaf, caller = np.zeros(count, np.int64), np.zeros(count, np.int64)
    offset = stacks.chains.offset
    weights = np.repeat(stacks.samples, np.diff(offset))
    np.add.at(caller, stacks.chains.function, weights)
    full = np.diff(offset) > 0
    ends = stacks.chains.function[offset[1:][full] - 1]
    np.add.at(leaf, ends, stacks.samples[full])
    return leaf, caller - leaf


def _top(samples: npt.NDArray[np.int64], count: int) -> list[int]:
    order = np.argsort(-samples, kind="stable")[:count]
    return [frame for frame in order.tolist() if samples[frame] > 0]


def _flatten(
    named: NamedFrames, expansions: dict[int, list[int]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    lengths = np.ones(len(named.function), np.int64)
    for frame, ids in expansions.items():
        lengths[frame] = len(ids)
    offset = np.append(0, np.cumsum(lengths))
    function = np.repeat(named.function.astype(np.int64), lengths)
    for frame, ids in expansions.items():
        function[offset[frame] : offset[frame + 1]] = ids
    return offset, function
