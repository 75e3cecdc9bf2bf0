"""The futex waits of a recording as arrays: kind, object and stack of each."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.waits.futex import FutexCall, LockKind, classify_futex
from topdown.waits.records import NO_ROW, NO_STACK, REGISTER_NAMES, WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals, ThreadState
from topdown.waits.syscall_sites import Numbers, in_call
from topdown.waits.waiting_calls import CallGroup, waiting_calls

KINDS = tuple(LockKind)
FUTEX_IN_KERNEL = frozenset(
    [
        "futex_wait",
        "futex_wait_queue",
        "futex_wait_queue_me",
        "do_futex",
        "futex_lock_pi",
        "__x64_sys_futex",
    ]
)
_SP, _ADDRESS, _OPERATION, _VALUE = (
    REGISTER_NAMES.index(name) for name in ("sp", "argument0", "argument1", "argument2")
)
_WAITING = (ThreadState.LOCK, ThreadState.CONDITION, ThreadState.OTHER, ThreadState.UNKNOWN)
_NEAR_BYTES = 64 << 10


@dataclass(frozen=True, slots=True)
class FutexWaits:
    """Waits in futex(), in the order of the intervals; arrays (n,).

    ``interval``: row of the intervals. ``kind``: index into KINDS. ``address``: of the object.
    ``futex``: address of the word. ``owner_tid``: a thread id in the arguments, or 0.
    """

    interval: npt.NDArray[np.int64]
    thread: npt.NDArray[np.int64]
    pid: npt.NDArray[np.int64]
    begin_ns: npt.NDArray[np.int64]
    end_ns: npt.NDArray[np.int64]
    kind: npt.NDArray[np.uint8]
    address: npt.NDArray[np.uint64]
    futex: npt.NDArray[np.uint64]
    stack: npt.NDArray[np.uint32]
    owner_tid: npt.NDArray[np.int64]

    @property
    def duration_ns(self) -> npt.NDArray[np.int64]:
        """Return the lengths of the waits."""
        return self.end_ns - self.begin_ns

    @property
    def is_lock(self) -> npt.NDArray[np.bool_]:
        """Return which waits are for locks."""
        return np.array([kind.is_lock for kind in KINDS], np.bool_)[self.kind]

    def __len__(self) -> int:
        """Return the number of waits."""
        return len(self.interval)

    def take(self, chosen: npt.NDArray[np.generic]) -> "FutexWaits":
        """Return the chosen waits."""
        return FutexWaits(*(getattr(self, name)[chosen] for name in self.__slots__))


def futex_waits(
    records: WaitRecords,
    intervals: Intervals,
    names: StackNames,
    calls: Numbers,
    *,
    architecture: str = "x86_64",
) -> FutexWaits:
    """Return the waits in futex().

    ``calls``: number of the system call of each switch sample. If it is not known, the kernel's
    call chain or the kind by the callers decides.
    """
    samples = records.switch_samples
    rows = np.flatnonzero((intervals.sample != NO_ROW) & np.isin(intervals.state, _WAITING))
    sample = intervals.sample[rows]
    usable = samples.register_row[sample] != NO_ROW
    if architecture == "x86_64":
        usable &= in_call(samples)[sample]
    rows, sample = rows[usable], sample[usable]
    registers = samples.registers[samples.register_row[sample]]
    stack = samples.stack[sample]
    certain, possible = _by_call(calls[sample], stack, names, architecture)
    kind, shift, owner = _classified(registers, stack, names)
    is_typed = KINDS.index(LockKind.FUTEX) != kind
    chosen = np.flatnonzero(certain | (possible & is_typed))
    rows = rows[chosen]
    pids = np.array([thread.pid for thread in records.threads] or [0], np.int64)
    thread = intervals.thread[rows].astype(np.int64)
    futex = registers[chosen, _ADDRESS]
    return FutexWaits(
        interval=rows,
        thread=thread,
        pid=pids[thread],
        begin_ns=intervals.begin_ns[rows].astype(np.int64),
        end_ns=intervals.end_ns[rows].astype(np.int64),
        kind=kind[chosen],
        address=futex - shift[chosen].astype(np.uint64),
        futex=futex,
        stack=stack[chosen],
        owner_tid=owner[chosen],
    )


def _by_call(
    calls: Numbers, stack: npt.NDArray[np.uint32], names: StackNames, architecture: str
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return whether each wait certainly is in futex(), and whether it may be."""
    table = waiting_calls(architecture)
    numbers = [number for number, (_, group) in table.items() if group == CallGroup.FUTEX]
    in_kernel = np.append(names.containing(FUTEX_IN_KERNEL, kernel=True), False)
    certain = np.isin(calls, numbers) | in_kernel[np.where(stack == NO_STACK, len(names), stack)]
    return certain, certain | (calls < 0)


def _classified(
    registers: npt.NDArray[np.uint64], stack: npt.NDArray[np.uint32], names: StackNames
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return kind, offset of the futex in the object, and thread id of the arguments.

    The kind depends on stack, operation, value, the low bits of the address and whether it is on
    the stack; so each combination is classified once.
    """
    address = registers[:, _ADDRESS]
    near = (address - registers[:, _SP]) < np.uint64(_NEAR_BYTES)
    value = registers[:, _VALUE]
    # One number per combination: sorting rows of columns takes several times longer.
    parts = (
        (stack.astype(np.uint64), 24),
        (registers[:, _OPERATION], 10),
        (address, 3),
        (near.astype(np.uint64), 1),
        (value >> np.uint64(30), 2),
        ((value >> np.uint64(22)) & np.uint64(0xFF) != 0, 1),
        (value, 22),
    )
    key = np.zeros(len(stack), np.uint64)
    for part, bits in parts:
        key = (key << np.uint64(bits)) | (part.astype(np.uint64) & np.uint64((1 << bits) - 1))
    unique, inverse = np.unique(key, return_inverse=True)
    results = []
    base = 1 << 32
    for number in unique.tolist():
        low_value, middle, high = number & 0x3FFFFF, number >> 22 & 1, number >> 23 & 3
        on_stack, low, operation = number >> 25 & 1, number >> 26 & 7, number >> 29 & 0x3FF
        call = FutexCall(
            operation,
            high << 30 | middle << 22 | low_value,
            base + low,
            base + low if on_stack else 1 << 48,
        )
        wait = classify_futex(call, names.user(number >> 39))
        results.append((KINDS.index(wait.kind), base + low - wait.address, wait.owner_tid or 0))
    table = np.array(results, np.int64).reshape(-1, 3)[inverse.reshape(-1)]
    return table[:, 0].astype(np.uint8), table[:, 1], table[:, 2]
