"""Periods of a recording that differ from the rest: which functions are hot in them alone.

The search is a scan statistic (Kulldorff 1997): for a function and a period, the likelihood ratio
of the function's share of samples inside and outside the period against an equal share. Functions
count with their callees. Periods have lengths of powers of two of a cell; the edges of the best
ones are then moved to the best cells.

Cost: 3.6 million samples in 2 s.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.stacks.profile import FunctionKind, Profile
from topdown.stacks.profile_tree import node_levels
from topdown.stacks.ranking import outermost
from topdown.stacks.sample_times import SampleTimes
from topdown.stacks.symbols.function_table import kinds_of

MAX_BURSTS = 5
MOST_CELLS = 8192
SHORTEST_CELL_NS = 50_000_000
LONGEST_SHARE = 0.25  # of the recording; a longer period is the rest's normal state
CANDIDATES = 64  # bits of a word
FEWEST_SAMPLES = 20
SHORTEST_RECORDING_NS = 5_000_000_000  # shorter ones are mostly the program's start and end
LEAST_EXCESS = 2.0  # share inside over share outside
# Far beyond the maximum by chance: about ln(cells * lengths * functions), 15.
LEAST_LOG_RATIO = 25.0
_MOST_COARSE_CELLS, _FEWEST_COARSE_CELLS = 512, 16
_TABLE_ENTRIES = 8_000_000  # of coarse cells by functions

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Burst:
    """A period in which a function is hot; times since the first sample.

    ``inside`` and ``overall``: shares of samples, 0..1, of the function with its callees.
    """

    begin_ns: int
    end_ns: int
    function: int  # index into Profile.functions
    inside: float
    overall: float
    samples: int  # of all functions, inside
    log_ratio: float


def find_bursts(profile: Profile, times: SampleTimes) -> tuple[Burst, ...]:
    """Return the periods that differ most from the rest, disjoint, the clearest first."""
    duration_ns = int(times.time_ns[-1]) + 1 if len(times.time_ns) else 0
    if len(times.time_ns) < FEWEST_SAMPLES or duration_ns < SHORTEST_RECORDING_NS:
        return ()
    cell_ns = max(SHORTEST_CELL_NS, -(-duration_ns // MOST_CELLS))
    cell = times.time_ns // cell_ns
    cells = int(cell[-1]) + 1
    total = np.bincount(cell, minlength=cells).astype(np.int64)
    bursts: list[Burst] = []
    functions = _candidates(profile, times, duration_ns)
    member = _membership(profile, functions)[times.node]
    for bit, function in enumerate(functions.tolist()):
        has_function = (member >> np.uint64(bit)) & np.uint64(1) != 0
        counts = np.bincount(cell[has_function], minlength=cells).astype(np.int64)
        burst = _clearest(counts, total, cell_ns, function)
        if burst is not None:
            bursts.append(burst)
    bursts.sort(key=lambda burst: (-burst.log_ratio, burst.begin_ns))
    disjoint: list[Burst] = []
    for burst in bursts:
        if all(burst.end_ns <= o.begin_ns or burst.begin_ns >= o.end_ns for o in disjoint):
            disjoint.append(burst)
    return tuple(disjoint[:MAX_BURSTS])


def _candidates(profile: Profile, times: SampleTimes, duration_ns: int) -> npt.NDArray[np.int64]:
    """Return the functions that are most concentrated in coarse cells."""
    functions, nodes = len(profile.functions), len(profile.node_parent)
    cells = min(_MOST_COARSE_CELLS, max(_FEWEST_COARSE_CELLS, _TABLE_ENTRIES // functions))
    sampled = times.time_ns // -(-duration_ns // cells)
    pairs, counts = np.unique(sampled * nodes + times.node, return_counts=True)
    cell, node = pairs // nodes, pairs % nodes
    sums = np.zeros(cells * functions, np.float64)
    is_outer = outermost(profile)
    parent = profile.node_parent.astype(np.int64)
    while len(node):
        outer = is_outer[node]
        keys = cell[outer] * functions + profile.node_function[node[outer]]
        np.add.at(sums, keys, counts[outer])
        node = parent[node]
        inside = node >= 0
        cell, node, counts = cell[inside], node[inside], counts[inside]
    by_cell = sums.reshape(cells, functions)
    total = np.bincount(sampled, minlength=cells)
    ratio = _log_ratio(by_cell, total[:, None].astype(np.float64)).max(axis=0)
    kinds = kinds_of(profile.functions)
    ratio[(kinds == FunctionKind.ROOT) | (kinds == FunctionKind.TRUNCATED)] = 0
    order = np.argsort(-ratio, kind="stable")[:CANDIDATES]
    return np.asarray(order[ratio[order] > 0], np.int64)


def _membership(profile: Profile, functions: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Return, per node, a bit for each function that is in the node's chain."""
    bits = np.zeros(len(profile.functions), np.uint64)
    bits[functions] = np.uint64(1) << np.arange(len(functions), dtype=np.uint64)
    member = bits[profile.node_function]
    for nodes in node_levels(profile.node_parent)[1:]:
        member[nodes] |= member[profile.node_parent[nodes]]
    return member


def _clearest(counts: Counts, total: Counts, cell_ns: int, function: int) -> Burst | None:
    """Return the period in which a function differs most, None if it is not clear."""
    sums = np.append(0, np.cumsum(counts))
    totals = np.append(0, np.cumsum(total))
    cells, best = len(counts), (0.0, 0, 0)
    length = 1
    while length <= max(1, int(cells * LONGEST_SHARE)):
        inside, around = sums[length:] - sums[:-length], totals[length:] - totals[:-length]
        ratio = _log_ratio_of(inside, around, int(sums[-1]), int(totals[-1]))
        best_index = int(np.argmax(ratio))
        best = max(best, (float(ratio[best_index]), best_index, best_index + length))
        length *= 2
    ratio_found, begin, end = _with_best_edges(best, sums, totals)
    inside, around = int(sums[end] - sums[begin]), int(totals[end] - totals[begin])
    outside = (int(sums[-1]) - inside) / max(1, int(totals[-1]) - around)
    if ratio_found < LEAST_LOG_RATIO or around < FEWEST_SAMPLES:
        return None
    if end - begin > max(1, cells * LONGEST_SHARE):
        return None
    if inside / around < LEAST_EXCESS * outside:
        return None
    overall = int(sums[-1]) / int(totals[-1])
    return Burst(
        begin * cell_ns, end * cell_ns, function, inside / around, overall, around, ratio_found
    )


def _with_best_edges(
    best: tuple[float, int, int], sums: Counts, totals: Counts
) -> tuple[float, int, int]:
    """Return the period with its begin and its end moved to the best cells nearby."""
    ratio, begin, end = best
    reach = end - begin
    for _ in range(3):
        begins = np.arange(max(0, begin - reach), end)
        ratios = _log_ratio_of(
            sums[end] - sums[begins], totals[end] - totals[begins], int(sums[-1]), int(totals[-1])
        )
        begin, ratio = int(begins[np.argmax(ratios)]), float(ratios.max())
        ends = np.arange(begin + 1, min(len(sums) - 1, end + reach) + 1)
        ratios = _log_ratio_of(
            sums[ends] - sums[begin], totals[ends] - totals[begin], int(sums[-1]), int(totals[-1])
        )
        end, ratio = int(ends[np.argmax(ratios)]), float(ratios.max())
    return ratio, begin, end


def _log_ratio_of(
    inside: Counts, around: Counts, whole: int, total: int
) -> npt.NDArray[np.float64]:
    return _ratio(inside.astype(np.float64), around.astype(np.float64), float(whole), float(total))


def _log_ratio(
    by_cell: npt.NDArray[np.float64], total: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    return _ratio(by_cell, total, by_cell.sum(axis=0), float(total.sum()))


def _ratio(
    inside: npt.NDArray[np.float64],
    around: npt.NDArray[np.float64],
    whole: npt.NDArray[np.float64] | float,
    total: float,
) -> npt.NDArray[np.float64]:
    """Return the log likelihood ratio of a higher share inside; 0 for a lower one."""
    outside, beyond = whole - inside, total - around
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = _entropy(inside, around) + _entropy(outside, beyond)
        ratio -= _entropy(np.asarray(whole, np.float64), np.asarray(total, np.float64))
        higher = inside * beyond > outside * around
    return np.where(higher & np.isfinite(ratio), ratio, 0.0)


def _entropy(
    part: npt.NDArray[np.float64], whole: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the log likelihood of ``part`` of ``whole`` samples at their own share."""
    rest = whole - part
    first = np.where(part > 0, part * np.log(part / whole), 0.0)
    return np.asarray(first + np.where(rest > 0, rest * np.log(rest / whole), 0.0))
