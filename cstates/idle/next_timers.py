"""Which high-resolution timer of a CPU is due next, followed through the kernel's timer events.

A timer that was started before the trace is not known until it is started again; the tick and most
others are within seconds. Source: kernel/time/hrtimer.c, kernel/time/tick-sched.c.
"""

import heapq

NO_EXPIRY_NS = 2**63 - 1  # where none is known


class NextTimers:
    """The timers that wait on one CPU; each call costs about a microsecond."""

    def __init__(self, tick_function: int | None) -> None:
        self._tick_function = tick_function
        self._tick: tuple[int, int] | None = None  # the timer and its expiry
        self._due: dict[int, int] = {}
        self._heap: list[tuple[int, int]] = []

    def start(self, timer: int, function: int, expires_ns: int) -> None:
        """Take a timer that was started, or started again."""
        if function == self._tick_function:
            self._tick = (timer, expires_ns)
            return
        self._due[timer] = expires_ns
        heapq.heappush(self._heap, (expires_ns, timer))
        if len(self._heap) > 64 + 4 * len(self._due):
            self._heap = [(expires, each) for each, expires in self._due.items()]
            heapq.heapify(self._heap)

    def end(self, timer: int) -> None:
        """Forget a timer that was cancelled."""
        if self._tick and self._tick[0] == timer:
            self._tick = None
        self._due.pop(timer, None)

    def clear(self) -> None:
        """Forget all, where events were lost."""
        self._tick = None
        self._due.clear()
        self._heap.clear()

    def next_ns(self, now_ns: int) -> tuple[int, int]:
        """Return when the next of all is due, and the next but the tick; NO_EXPIRY_NS for none.

        What was due by now has expired: its event is not asked for, to keep the trace small.
        """
        heap, due = self._heap, self._due
        while heap and (heap[0][0] <= now_ns or due.get(heap[0][1]) != heap[0][0]):
            expires_ns, timer = heapq.heappop(heap)
            if due.get(timer) == expires_ns:
                del due[timer]
        other = heap[0][0] if heap else NO_EXPIRY_NS
        ticks = self._tick is not None and self._tick[1] > now_ns
        return (min(other, self._tick[1]) if ticks and self._tick else other), other
