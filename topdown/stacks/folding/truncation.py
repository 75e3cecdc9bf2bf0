"""Truncated call chains and the reasons of truncation."""

from collections import Counter
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from stallscope.printable import MAX_NAME_LENGTH
from topdown.stacks.blocks import blocks
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
_MAX_FILES = 12


class ChainEnd(IntEnum):
    """Why a chain ends: values of Capture.stack_end, as the native type chain_end."""

    KERNEL_CHAIN = 0
    COMPLETE = 1
    CUT_BY_COPY = 2
    NO_TABLE = 3
    BAD_FRAME = 4
    UNMAPPED = 5
    OTHER_STACK = 6
    TOO_DEEP = 7
    NO_REGISTERS = 8


_REASONS = {
    ChainEnd.KERNEL_CHAIN: NO_FRAME_POINTERS,
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


class Truncation(Struct, frozen=True):
    """Reasons by chain as in NamedChains; ``kernel_only``: the chain has only kernel frames."""

    reason_of: npt.NDArray[np.int64]
    reasons: tuple[str, ...]
    kernel_only: npt.NDArray[np.bool_]


def find_truncation(
    capture: "Capture",
    stacks: SampledStacks,
    named: NamedFrames,
    *,
    expects_user_frames: bool,
    verified: npt.NDArray[np.bool_] | None = None,
) -> Truncation:
    """Return which chains are complete, and why the others are truncated.

    A chain is complete if the unwinder reached its end, or if its outermost function is an entry
    function; if no user frames are expected, a chain of kernel frames is also complete.
    ``verified`` (n_chains,): chains of processes whose chains by frame pointers the recorder
    compared with unwound stacks, with the result that they are complete. Of these, a chain whose
    outermost function has no name is complete too: entry functions of a stripped C library have
    no names.
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
    if not expects_user_frames:
        whole |= kernel_only
    if verified is not None:
        last = outermost[verified & full]
        kinds = named.functions.kinds()[named.function[last]]
        is_unnamed = (kinds == FunctionKind.UNKNOWN) & (lengths[verified & full] > 1)
        whole[verified & full] |= is_unnamed & (ends[verified & full] == ChainEnd.KERNEL_CHAIN)
    table = _ReasonTable(len(full))
    for end, reason in _REASONS.items():
        table.set(ends == end, reason)
    by_kernel = ends == ChainEnd.KERNEL_CHAIN
    table.set(by_kernel & (lengths >= _KERNEL_WALKS_FRAMES), _DEEPER)
    _set_files(capture, table, np.where(ends == ChainEnd.NO_TABLE, outermost, -1), stacks.samples)
    table.set(by_kernel & kernel_only, _KERNEL_ONLY)
    table.set(~full, _NO_STACK)
    return Truncation(*table.used(whole), kernel_only)


class _ReasonTable:
    """Reasons by chain; later calls of ``set`` overwrite earlier ones."""

    def __init__(self, count: int) -> None:
        self._numbers: dict[str, int] = {"unknown reason": 0}
        self._reason_of = np.zeros(count, np.int64)

    def set(self, chosen: npt.NDArray[np.bool_], reason: str) -> None:
        self._reason_of[chosen] = self._numbers.setdefault(reason, len(self._numbers))

    def used(self, whole: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
        reasons = list(self._numbers)
        used = np.flatnonzero(np.bincount(self._reason_of[~whole], minlength=len(reasons)))
        place = np.full(len(reasons), WHOLE)
        place[used] = np.arange(len(used))
        reason_of = np.where(whole, WHOLE, place[self._reason_of])
        return reason_of, tuple(reasons[number] for number in used.tolist())


def _set_files(
    capture: "Capture",
    table: _ReasonTable,
    outermost: npt.NDArray[np.intp],
    samples: npt.NDArray[np.int64],
) -> None:
    """Set the reason of chains that end in files without unwind information.

    The files with most samples are named.
    """
    chosen = outermost >= 0
    objects = np.full(len(outermost), -2)
    objects[chosen] = capture.frame_object[outermost[chosen]]
    counts: Counter[str] = Counter()
    # A set: np.unique imports numpy.ma, which takes 20 ms.
    names = {
        number: _file_name(capture, number) for number in sorted(set(objects[chosen].tolist()))
    }
    for number, name in names.items():
        counts[name] += int(samples[objects == number].sum())
    named = {name for name, _ in counts.most_common(_MAX_FILES)}
    for number, name in names.items():
        table.set(objects == number, NO_TABLE + (name if name in named else "other files"))


def _file_name(capture: "Capture", number: int) -> str:
    path = capture.objects[number].path if number >= 0 else b""
    if path.startswith(b"//anon") or not path:
        return "code generated at run time"
    name = path.rsplit(b"/", 1)[-1] or path
    return name[:MAX_NAME_LENGTH].decode("utf-8", "replace")


def complete_kernel_threads(
    capture: "Capture", chains: NamedChains, kernel_only: npt.NDArray[np.bool_]
) -> NamedChains:
    """Return the chains with those of kernel threads complete, if kernel symbols are hidden.

    Entry functions are not known by name then, but a process without user frames and mappings is a
    kernel thread.
    """
    alone = kernel_only[chains.chain_of]
    pids = np.array([thread.pid for thread in capture.threads], np.int64)
    pid_of = pids[capture.thread[chains.rows]]
    mapping_pids = {mapped.pid for mapped in capture.objects if not mapped.kernel}
    user = np.unique(np.append(pid_of[~alone], list(mapping_pids - {0})))
    is_kernel_thread = alone & ~np.isin(pid_of, user)
    if not is_kernel_thread.any():
        return chains
    split, is_complete = chains.split_by(is_kernel_thread.astype(np.int64))
    return replace(split, reason_of=np.where(is_complete, WHOLE, split.reason_of))


def truncated_functions(reasons: tuple[str, ...]) -> tuple[Function, ...]:
    """Return the functions that group the chains truncated for these reasons."""
    return tuple(
        Function(f"[truncated: {reason}]", "", FunctionKind.TRUNCATED) for reason in reasons
    )


def stack_shares(chains: NamedChains, values: npt.NDArray[np.int64]) -> StackShares:
    """Return the shares of complete and truncated chains; ``values`` (n_samples,): weights."""
    total = int(values.sum())
    if not total:
        return StackShares(float("nan"), float("nan"), float("nan"))
    sums = np.zeros(len(chains.reasons) + 1, np.int64)  # the last sum is that of complete chains
    for block in blocks(len(values)):
        np.add.at(sums, chains.reason_of[chains.chain_of[block]], values[block])
    by_reason = sorted(
        zip(chains.reasons, sums[:-1].tolist(), strict=True), key=lambda pair: -pair[1]
    )
    cut = dict(by_reason).get(BEYOND_COPY, 0)
    truncated = total - int(sums[-1])
    shares = tuple((reason, value / total) for reason, value in by_reason if value)
    return StackShares(int(sums[-1]) / total, truncated / total, cut / total, shares)
