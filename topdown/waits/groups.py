"""Groups of threads with the same task, by process name and thread name without its number."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from topdown.waits.records import WaitingThread

# "worker-12", "io_thd_3", "Thread 4", "pool[7]", "C2 CompilerThread0"
_NUMBER = re.compile(r"[-_ #:/.\[(]*\d+[\])]?$")


@dataclass(frozen=True, slots=True)
class ThreadGroup:
    """Threads of processes with one name, whose names differ by a number at most."""

    process_name: str
    name: str
    threads: tuple[int, ...]  # indices


def group_name(name: str) -> str:
    """Return a thread's name without the number at its end."""
    return _NUMBER.sub("", name) or name


def thread_groups(threads: Sequence[WaitingThread], selected: Sequence[int]) -> list[ThreadGroup]:
    """Return groups of the selected threads, in the order of their first threads."""
    members: dict[tuple[str, str], list[int]] = {}
    for number in selected:
        thread = threads[number]
        key = (thread.process_name, group_name(thread.name))
        members.setdefault(key, []).append(number)
    return [ThreadGroup(*key, tuple(numbers)) for key, numbers in members.items()]
