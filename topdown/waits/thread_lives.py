"""The threads of a capture by life: thread ids may be used again within a recording."""

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stallscope.printable import MAX_NAME_LENGTH
from topdown.waits.records import NO_THREAD, Indices, TaskKind, Times, WaitingThread

if TYPE_CHECKING:
    from stallscope._native import Capture


@dataclass(frozen=True, slots=True)
class ThreadLives:
    """The threads of a capture by life: ids that are used again get further rows.

    Rows up to the number of the capture's threads are first lives. ``reused`` has the other rows
    of a thread of the capture, with the times of their starts, ascending.
    """

    capture: "Capture"
    reused: dict[int, tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]]
    thread_of: npt.NDArray[np.uint32]  # the capture's thread of each row
    rows_of_ids: dict[tuple[int, int], int]  # pid and tid: the first row

    @staticmethod
    def of(capture: "Capture") -> "ThreadLives":
        """Return the lives of a capture's threads."""
        count = len(capture.threads)
        thread_of = list(range(count))
        starts: dict[int, list[tuple[int, int]]] = defaultdict(list)
        has_exited: set[int] = set()
        for time_ns, thread, kind in _task_rows(capture):
            if kind == TaskKind.EXIT:
                has_exited.add(thread)
            elif kind == TaskKind.START and thread in has_exited:
                has_exited.discard(thread)
                starts[thread].append((time_ns, len(thread_of)))
                thread_of.append(thread)
        reused = {
            thread: (
                np.array([time_ns for time_ns, _ in lives], np.uint64),
                np.array([thread, *(row for _, row in lives)], np.uint32),
            )
            for thread, lives in starts.items()
        }
        ids = {(thread.pid, thread.tid): row for row, thread in enumerate(capture.threads)}
        return ThreadLives(capture, reused, np.array(thread_of, np.uint32), ids)

    def at_times(self, thread: Indices, time_ns: Times) -> Indices:
        """Return the life of each row's thread at its time."""
        if not self.reused or not len(thread):
            return thread
        lives = thread.copy()
        is_reused = np.zeros(len(self.capture.threads), np.bool_)
        is_reused[list(self.reused)] = True
        has_thread = thread != NO_THREAD
        rows = np.flatnonzero(has_thread & is_reused[np.where(has_thread, thread, 0)])
        for member in np.unique(thread[rows]).tolist():
            own = rows[thread[rows] == member]
            starts, numbers = self.reused[member]
            lives[own] = numbers[np.searchsorted(starts, time_ns[own], side="right")]
        return lives

    def at(self, pid: int, tid: int, time_ns: int) -> int | None:
        """Return the life of the thread with these ids at a time; None if it is unknown."""
        thread = self.rows_of_ids.get((pid, tid))
        if thread is None or thread not in self.reused:
            return thread
        starts, numbers = self.reused[thread]
        return int(numbers[np.searchsorted(starts, time_ns, side="right")])

    def threads(self, is_target: npt.NDArray[np.bool_]) -> tuple[WaitingThread, ...]:
        """Return the lives as threads."""
        named = [
            WaitingThread(
                thread.pid, thread.tid, _text(thread.name), _text(thread.process_name), target
            )
            for thread, target in zip(self.capture.threads, is_target.tolist(), strict=True)
        ]
        return tuple(named[thread] for thread in self.thread_of.tolist())


def _task_rows(capture: "Capture") -> "zip[tuple[int, int, int]]":
    return zip(
        capture.task_time_ns.tolist(),
        capture.task_thread.tolist(),
        capture.task_kind.tolist(),
        strict=True,
    )


def _text(name: bytes) -> str:
    return name[:MAX_NAME_LENGTH].decode("utf-8", "replace")
