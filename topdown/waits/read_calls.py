"""Numbers of system calls by readings of /proc, where the code does not show them.

A function such as syscall(3) has the number in a register. A reading of /proc/TID/syscall of the
same process with the same first two arguments is a wait in the same call: for a futex they are its
address and its operation.
"""

import numpy as np
import numpy.typing as npt

from topdown.waits.records import NO_ROW, REGISTER_NAMES, WaitRecords
from topdown.waits.syscall_sites import UNKNOWN_CALL, Numbers, in_call

_ARGUMENT = REGISTER_NAMES.index("argument0")
_AMBIGUOUS = -1
_Key = tuple[int, int, int]  # process, first and second argument


def with_read_calls(
    records: WaitRecords, calls: Numbers, *, architecture: str = "x86_64"
) -> Numbers:
    """Return ``calls`` with the numbers of unknown ones, where all readings agree on one."""
    samples = records.switch_samples
    unknown = (calls == UNKNOWN_CALL) & (samples.register_row != NO_ROW)
    if architecture == "x86_64":
        unknown &= in_call(samples)
    rows = np.flatnonzero(unknown)
    known = _known_calls(records) if len(rows) else {}
    if not known:
        return calls
    # A thread of an unknown process has the number -1, which no known call has.
    pids = np.array([thread.pid for thread in records.threads], np.int64).astype(np.uint64)
    registers = samples.registers[samples.register_row[rows]]
    keys = np.stack(
        [
            pids[samples.thread[rows]],
            registers[:, _ARGUMENT].astype(np.uint64),
            registers[:, _ARGUMENT + 1].astype(np.uint64),
        ],
        axis=1,
    )
    unique, inverse = np.unique(keys, axis=0, return_inverse=True)
    numbers: npt.NDArray[np.int32] = np.array(
        [known.get((pid, first, second), UNKNOWN_CALL) for pid, first, second in unique.tolist()],
        np.int32,
    )
    result = calls.copy()
    result[rows] = numbers[inverse.reshape(-1)]
    return result


def _known_calls(records: WaitRecords) -> dict[_Key, int]:
    """Return the number of the call by process and arguments; without those that differ."""
    known: dict[_Key, int] = {}
    for reading in records.readings:
        if len(reading.syscall) < 3 or reading.thread >= len(records.threads):
            continue
        number, first, second = reading.syscall[:3]
        key = (records.threads[reading.thread].pid, first, second)
        if known.setdefault(key, number) != number:
            known[key] = _AMBIGUOUS
    return {key: number for key, number in known.items() if number != _AMBIGUOUS}
