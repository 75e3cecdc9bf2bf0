"""The next high-resolution timer of a CPU, tracked through the kernel's timer events.

A timer that was started before the trace is unknown until it is started again; for the tick and
most other timers that takes seconds at most. Source: kernel/time/hrtimer.c and
kernel/time/tick-sched.c.
"""

import heapq

NO_EXPIRY_NS = 2**63 - 1  # no timer is known


class NextTimers:
    """The pending timers of one CPU; a call costs about a microsecond."""

    def __init__(self, tick_function: int | None) -> None:
        self._tick_function = tick_function
        self._tick: tuple[int, int] | None = None  # the timer and its expiry
        self._due: dict[int, int] = {}
        self._heap: list[tuple[int, int]] = []

    def start(self, timer: int, function: int, expires_ns: int) -> None:
        """Add a timer that was started or restarted."""
        if function == self._tick_function:
            self._tick = (timer, expires_ns)
            return
        self._due[timer] = expires_ns
        heapq.heappush(self._heap, (expires_ns, timer))
        if len(self._heap) > 64 + 4 * len(self._due):
            self._heap = [(expires, pending) for pending, expires in self._due.items()]
            heapq.heapify(self._heap)

    def end(self, timer: int) -> None:
        """Remove a timer that was cancelled."""
        if self._tick and self._tick[0] == timer:
            self._tick = None
        self._due.pop(timer, None)

    def clear(self) -> None:
        """Remove all timers, after events were lost."""
        self._tick = None
        self._due.clear()
        self._heap.clear()

    def next_ns(self, now_ns: int) -> tuple[int, int]:
        """Return the expiry of the next timer, and of the next without the tick; or NO_EXPIRY_NS.

        Timers due before now have expired. Their expiry events are not traced, to keep it small.
        """
        heap, due = self._heap, self._due
        while heap and (heap[0][0] <= now_ns or due.get(heap[0][1]) != heap[0][0]):
            expires_ns, timer = heapq.heappop(heap)
            if due.get(timer) == expires_ns:
                del due[timer]
        nontick = heap[0][0] if heap else NO_EXPIRY_NS
        ticks = self._tick is not None and self._tick[1] > now_ns
        return (min(nontick, self._tick[1]) if ticks and self._tick else nontick), nontick
