"""Which call chains are truncated, and why, in words for a person."""

from collections import Counter
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stallscope.printable import MAX_NAME_LENGTH
from topdown.stacks.folding.named_chains import WHOLE, NamedChains, SampledStacks
from topdown.stacks.profile import Function, FunctionKind, StackShares
from topdown.stacks.symbols.symbolizer import NamedFrames

if TYPE_CHECKING:
    from stallscope._native import Capture

BEYOND_COPY = "beyond the copied stack"
NO_FRAME_POINTERS = "no frame pointers"
NO_TABLE = "no unwind information in "
_KERNEL_KIND = 1
_KERNEL_WALKS_FRAMES = 127  # the default of kernel.perf_event_max_stack, PERF_MAX_STACK_DEPTH
_FILES_AT_MOST = 12


class ChainEnd(IntEnum):
    """Why a chain ends where it ends: Capture.stack_end, native chain_end."""

    KERNEL_GIVEN = 0
    COMPLETE = 1
    CUT_BY_COPY = 2
    NO_TABLE = 3
    BAD_FRAME = 4
    UNMAPPED = 5
    OTHER_STACK = 6
    TOO_DEEP = 7
    NO_REGISTERS = 8


_REASONS = {
    ChainEnd.KERNEL_GIVEN: NO_FRAME_POINTERS,
    ChainEnd.CUT_BY_COPY: BEYOND_COPY,
    ChainEnd.BAD_FRAME: "damaged frame",
    ChainEnd.UNMAPPED: "return into unmapped memory",
    ChainEnd.OTHER_STACK: "on another stack",
    ChainEnd.TOO_DEEP: "too many frames",
    ChainEnd.NO_REGISTERS: "no user registers",
}
_NO_STACK = "no stack"
_KERNEL_ONLY = "kernel frames only"
_DEEPER = f"deeper than the {_KERNEL_WALKS_FRAMES} frames the kernel walks"


@dataclass(frozen=True, slots=True)
class Truncation:
    """Why chains are truncated, as in NamedChains; which have none but kernel frames, bool."""

    reason_of: npt.NDArray[np.int64]
    reasons: tuple[str, ...]
    kernel_only: npt.NDArray[np.bool_]


def find_truncation(
    capture: "Capture", stacks: SampledStacks, named: NamedFrames, *, user_asked: bool
) -> Truncation:
    """Return which chains are whole, and why the others are not.

    Whole is a chain whose unwinding said so, or whose outermost function is known to be called by
    nobody; where no user frames were asked for also one that has none.
    """
    lengths = np.diff(stacks.chains.offset)
    full = lengths > 0
    outermost = np.full(len(full), -1)
    outermost[full] = stacks.chains.function[stacks.chains.offset[:-1][full]]
    ends = capture.stack_end[stacks.numbers]
    kernel_only, whole = np.zeros(len(full), np.bool_), np.zeros(len(full), np.bool_)
    kernel_only[full] = capture.frame_kind[outermost[full]] == _KERNEL_KIND
    whole[full] = named.ends_chain[outermost[full]]
    whole |= full & (ends == ChainEnd.COMPLETE)
    if not user_asked:
        whole |= kernel_only
    words = _Words(len(full))
    for end, reason in _REASONS.items():
        words.put(ends == end, reason)
    given = ends == ChainEnd.KERNEL_GIVEN
    words.put(given & (lengths >= _KERNEL_WALKS_FRAMES), _DEEPER)
    _name_files(capture, words, np.where(ends == ChainEnd.NO_TABLE, outermost, -1), stacks.samples)
    words.put(given & kernel_only, _KERNEL_ONLY)
    words.put(~full, _NO_STACK)
    return Truncation(*words.used(whole), kernel_only)


class _Words:
    """Reasons by chain; what is put later stands."""

    def __init__(self, count: int) -> None:
        self._numbers: dict[str, int] = {"for a reason not known": 0}
        self._reason_of = np.zeros(count, np.int64)

    def put(self, chosen: npt.NDArray[np.bool_], reason: str) -> None:
        self._reason_of[chosen] = self._numbers.setdefault(reason, len(self._numbers))

    def used(self, whole: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
        words = list(self._numbers)
        used = np.flatnonzero(np.bincount(self._reason_of[~whole], minlength=len(words)))
        place = np.full(len(words), WHOLE)
        place[used] = np.arange(len(used))
        reason_of = np.where(whole, WHOLE, place[self._reason_of])
        return reason_of, tuple(words[number] for number in used.tolist())


def _name_files(
    capture: "Capture",
    words: _Words,
    outermost: npt.NDArray[np.intp],
    samples: npt.NDArray[np.int64],
) -> None:
    """Say which files lack unwind information: those that cost most samples by name."""
    chosen = outermost >= 0
    objects = np.full(len(outermost), -2)
    objects[chosen] = capture.frame_object[outermost[chosen]]
    counts: Counter[str] = Counter()
    names = {number: _file_name(capture, number) for number in np.unique(objects[chosen]).tolist()}
    for number, name in names.items():
        counts[name] += int(samples[objects == number].sum())
    named = {name for name, _ in counts.most_common(_FILES_AT_MOST)}
    for number, name in names.items():
        words.put(objects == number, NO_TABLE + (name if name in named else "other files"))


def _file_name(capture: "Capture", number: int) -> str:
    path = capture.objects[number].path if number >= 0 else b""
    if path.startswith(b"//anon") or not path:
        return "code made at run time"
    name = path.rsplit(b"/", 1)[-1] or path
    return name[:MAX_NAME_LENGTH].decode("utf-8", "replace")


def spare_kernel_processes(
    capture: "Capture", chains: NamedChains, kernel_only: npt.NDArray[np.bool_]
) -> NamedChains:
    """Return the chains, those of kernel threads whole: for kernels whose symbols are hidden.

    Their entries cannot be told by name, but a process that never had a user frame and maps nothing
    is the kernel's own.
    """
    alone = kernel_only[chains.chain_of]
    pids = np.array([thread.pid for thread in capture.threads], np.int64)
    pid_of = pids[capture.thread[chains.rows]]
    mapped = {found.pid for found in capture.objects if not found.kernel}
    user = np.unique(np.append(pid_of[~alone], list(mapped - {0})))
    spared = alone & ~np.isin(pid_of, user)
    if not spared.any():
        return chains
    refined, was_spared = chains.refined(spared.astype(np.int64))
    return replace(refined, reason_of=np.where(was_spared, WHOLE, refined.reason_of))


def truncated_functions(reasons: tuple[str, ...]) -> tuple[Function, ...]:
    """Return the functions under which chains truncated for these reasons stand."""
    return tuple(Function(f"[truncated: {why}]", "", FunctionKind.TRUNCATED) for why in reasons)


def stack_shares(chains: NamedChains, values: npt.NDArray[np.int64]) -> StackShares:
    """Return the shares of whole and truncated chains; ``values`` (n_samples,) are the weights."""
    total = int(values.sum())
    if not total:
        return StackShares(float("nan"), float("nan"), float("nan"))
    sums = np.zeros(len(chains.reasons) + 1, np.int64)  # those of whole chains come last
    np.add.at(sums, chains.reason_of[chains.chain_of], values)
    by_reason = sorted(
        zip(chains.reasons, sums[:-1].tolist(), strict=True), key=lambda pair: -pair[1]
    )
    cut = dict(by_reason).get(BEYOND_COPY, 0)
    truncated = total - int(sums[-1])
    shares = tuple((reason, value / total) for reason, value in by_reason if value)
    return StackShares(int(sums[-1]) / total, truncated / total, cut / total, shares)
