"""Categories of waits in system calls, by number, arguments and the kinds of descriptors."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.waits.kernel_waits import (
    DISK,
    EXIT,
    KERNEL_LOCK,
    PAGE_FAULT,
    PIPE,
    STOPPED,
    TERMINAL,
    Groups,
)
from topdown.waits.records import NO_THREAD, Codes, Descriptor, WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.states import ThreadState
from topdown.waits.syscall_sites import NOT_IN_CALL, Numbers
from topdown.waits.waiting_calls import CallGroup, waiting_calls

_COMMAND = np.uint64(0x7F)  # of a futex operation, without its flags
_LOCK_COMMANDS = (6, 13)  # FUTEX_LOCK_PI, FUTEX_LOCK_PI2
_WAIT_COMMAND, _CONTENDED = 0, 2  # FUTEX_WAIT; the value of a contended glibc or musl lock
_DESCRIPTOR_BITS = np.uint64(0xFFFFFFFF)
_POLLS, _SELECTS = ("poll", "ppoll"), ("select", "pselect6")

STATES: Mapping[int, ThreadState] = {
    CallGroup.NETWORK: ThreadState.NETWORK,
    CallGroup.SLEEP: ThreadState.SLEEP,
    CallGroup.DISK_READ: ThreadState.DISK_READ,
    CallGroup.DISK_WRITE: ThreadState.DISK_WRITE,
    CallGroup.EVENT: ThreadState.CONDITION,
    CallGroup.FILE_LOCK: ThreadState.LOCK,
    CallGroup.MEMORY: ThreadState.LOCK,
    CallGroup.COMPLETION: ThreadState.OTHER,
    CallGroup.DEVICE: ThreadState.OTHER,
    CallGroup.MEMBARRIER: ThreadState.OTHER,
    KERNEL_LOCK: ThreadState.LOCK,
    PAGE_FAULT: ThreadState.PAGE_FAULT,
    STOPPED: ThreadState.STOPPED,
    PIPE: ThreadState.CONDITION,
    TERMINAL: ThreadState.OTHER,
    EXIT: ThreadState.OTHER,
    DISK: ThreadState.DISK_READ,
}
# Files and block devices have the state of a disk.
_DESCRIPTOR_STATES = {
    "socket": ThreadState.NETWORK,
    "pipe": ThreadState.CONDITION,
    "eventfd": ThreadState.CONDITION,
    "timerfd": ThreadState.SLEEP,
    "epoll": ThreadState.OTHER,
    "device": ThreadState.OTHER,
    "other": ThreadState.OTHER,
}
UNKNOWN_GROUP = -1
# They wake the threads that wait for a socket.
_SOCKET_FUNCTIONS = frozenset(
    ["sock_def_readable", "sock_def_write_space", "sock_def_wakeup", "sk_stream_write_space"]
)


class DescriptorKinds:
    """Kinds of the descriptors of processes."""

    def __init__(
        self, descriptors: Iterable[Descriptor], with_sockets: Collection[int] = ()
    ) -> None:
        """Set the descriptors. ``with_sockets``: processes that have sockets not listed."""
        self._kinds = {(row.pid, row.fd): row.kind for row in descriptors}
        listed = {pid for (pid, _), kind in self._kinds.items() if kind == "socket"}
        self._with_sockets = listed.union(with_sockets)
        self._known = {pid for pid, _ in self._kinds}

    def transfer(self, pid: int, fd: int, file_state: ThreadState) -> ThreadState:
        """Return the state of a thread that reads or writes a descriptor."""
        return _DESCRIPTOR_STATES.get(self._kinds.get((pid, fd), ""), file_state)

    def poll(self, pid: int) -> ThreadState:
        """Return the state of a thread that waits for one of several descriptors.

        A process with sockets waits for the network, another one for events of threads.
        """
        is_network = pid in self._with_sockets or pid not in self._known
        return ThreadState.NETWORK if is_network else ThreadState.CONDITION


def processes_with_sockets(records: WaitRecords, names: StackNames) -> frozenset[int]:
    """Return the processes with a thread that a socket woke.

    The list of descriptors is that of the start for a command, which opens its sockets later.
    """
    wake_ups = records.wake_ups
    if wake_ups is None or not len(names):
        return frozenset()
    by_socket = np.append(names.containing(_SOCKET_FUNCTIONS, kernel=True), np.bool_(False))
    woken = wake_ups.wakee[by_socket[np.minimum(wake_ups.stack, len(names))]]
    return frozenset(
        records.threads[thread].pid for thread in np.unique(woken) if thread != NO_THREAD
    )


@dataclass(frozen=True, slots=True)
class BlockedCalls:
    """System calls in which threads are blocked: arrays (n,), ``arguments`` (n, 6)."""

    pid: npt.NDArray[np.int64]
    number: Numbers  # NOT_IN_CALL: blocked outside of a system call
    arguments: npt.NDArray[np.uint64]
    descriptors: DescriptorKinds
    architecture: str

    def groups(self) -> Groups:
        """Return the group of each call; UNKNOWN_GROUP if the number is not known or listed.

        A thread that blocks outside of a system call can wait for a page.
        """
        table = waiting_calls(self.architecture)
        numbers, inverse = np.unique(self.number, return_inverse=True)
        groups = [
            PAGE_FAULT
            if number == NOT_IN_CALL
            else int(table[number][1])
            if number in table
            else UNKNOWN_GROUP
            for number in numbers.tolist()
        ]
        return np.array(groups or [UNKNOWN_GROUP], np.int16)[inverse]

    def states(self, groups: Groups) -> Codes:
        """Return the category of each call, if it is of these groups."""
        result = np.full(len(groups), ThreadState.UNKNOWN, np.uint8)
        for group, state in STATES.items():
            result[groups == group] = state
        for group, file_state in (
            (CallGroup.READ, ThreadState.DISK_READ),
            (CallGroup.WRITE, ThreadState.DISK_WRITE),
        ):
            rows = np.flatnonzero(groups == group)
            result[rows] = self._transfers(rows, file_state)
        rows = np.flatnonzero(groups == CallGroup.POLL)
        result[rows] = self._polls(rows)
        rows = np.flatnonzero(groups == CallGroup.FUTEX)
        result[rows] = self._futexes(rows)
        return result

    def _transfers(self, rows: npt.NDArray[np.intp], file_state: ThreadState) -> Codes:
        descriptor = (self.arguments[rows, 0] & _DESCRIPTOR_BITS).astype(np.int64)
        pairs = np.stack([self.pid[rows], descriptor])
        unique, inverse = np.unique(pairs, axis=1, return_inverse=True)
        states = [self.descriptors.transfer(pid, fd, file_state) for pid, fd in unique.T.tolist()]
        return np.array(states, np.uint8)[inverse.reshape(-1)]

    def _polls(self, rows: npt.NDArray[np.intp]) -> Codes:
        """Return the states of polls; a poll without descriptors is a sleep."""
        pids, inverse = np.unique(self.pid[rows], return_inverse=True)
        states = [self.descriptors.poll(pid) for pid in pids.tolist()]
        result = np.array(states, np.uint8)[inverse]
        table = waiting_calls(self.architecture)
        for names, argument in ((_POLLS, 1), (_SELECTS, 0)):
            numbers = [number for number, (name, _) in table.items() if name in names]
            empty = np.isin(self.number[rows], numbers) & (self.arguments[rows, argument] == 0)
            result[empty] = ThreadState.SLEEP
        return result

    def _futexes(self, rows: npt.NDArray[np.intp]) -> Codes:
        """Return whether each futex is a lock or an event, by operation and value alone."""
        command, value = self.arguments[rows, 1] & _COMMAND, self.arguments[rows, 2]
        lock = np.isin(command, _LOCK_COMMANDS)
        lock |= (command == _WAIT_COMMAND) & (value == _CONTENDED)
        return np.where(lock, ThreadState.LOCK, ThreadState.CONDITION).astype(np.uint8)
