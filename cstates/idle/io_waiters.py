"""An estimate of the tasks that wait for block I/O on each CPU.

The kernel counts them per CPU (`nr_iowait`), but exports no such count. Here a task is a waiter of
the CPU on which it was switched out uninterruptibly while a block request was between issue and
completion. It waits until it runs again or no request is in flight. Tasks that sleep
uninterruptibly for another reason meanwhile, such as a lock, are counted too; waiters of network
file systems, which issue no block request, are not.
"""

from dataclasses import dataclass, field


@dataclass(slots=True)
class IoWaiters:
    """The requests in flight and the waiting tasks, from events in order of time."""

    _in_flight: set[tuple[int, int]] = field(default_factory=set)  # device and sector
    _cpu_of: dict[int, int] = field(default_factory=dict)  # by waiting task
    _waiters: dict[int, int] = field(default_factory=dict)  # by CPU

    def request_issued(self, device: int, sector: int) -> None:
        """Handle block:block_rq_issue."""
        self._in_flight.add((device, sector))

    def request_completed(self, device: int, sector: int) -> None:
        """Handle block:block_rq_complete; with the last request, no task waits any more."""
        self._in_flight.discard((device, sector))
        if not self._in_flight:
            self._cpu_of.clear()
            self._waiters.clear()

    def task_blocked(self, cpu: int, pid: int) -> None:
        """Handle an uninterruptible switch-out."""
        self.task_runs(pid)
        if self._in_flight:
            self._cpu_of[pid] = cpu
            self._waiters[cpu] = self._waiters.get(cpu, 0) + 1

    def task_runs(self, pid: int) -> None:
        """Handle a switch to a task."""
        cpu = self._cpu_of.pop(pid, None)
        if cpu is not None:
            self._waiters[cpu] -= 1

    def on(self, cpu: int) -> int:
        """Return the number of tasks that wait on a CPU."""
        return self._waiters.get(cpu, 0)

    def clear(self) -> None:
        """Forget everything, because events were lost."""
        self._in_flight.clear()
        self._cpu_of.clear()
        self._waiters.clear()
