"""The thread that sends finished segments as OTLP profiles, beside the recording.

It holds names of segments, not their content: a receiver that does not answer costs a few bytes.
If the queue is full, the oldest segment is dropped. The recording never waits for it.
"""

import random
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from harness.continuous.endpoint import Delivery
from stallscope.errors import StallscopeError
from stallscope.printable import printable

QUEUE_SEGMENTS = 8
ATTEMPTS = 6
FIRST_BACK_OFF_S = 1.0
MAX_BACK_OFF_S = 60.0
MAX_REASONS = 20
END_LIMIT_S = 10.0  # for the rest of the queue at the end of the recording
Encode = Callable[[Path], bytes]
Post = Callable[[bytes], Delivery]


@dataclass(slots=True)
class SentCounts:
    """What was sent; ``dropped``: numbers of segments by reason; ``failure``: the last one."""

    segments: int = 0
    sent_bytes: int = 0  # before compression
    retries: int = 0
    rejected: int = 0  # profiles that the receiver did not take
    dropped: Counter[str] = field(default_factory=Counter)
    last_dropped: str = ""  # name of a segment
    failure: str = ""


class ProfileSender:
    """Sends segments in their order; ``encode`` reads a segment, ``post`` sends its profile."""

    def __init__(self, encode: Encode, post: Post, *, back_off_s: float = FIRST_BACK_OFF_S) -> None:
        self._encode = encode
        self._post = post
        self._back_off_s = back_off_s
        self._queue: deque[Path] = deque()
        self._condition = threading.Condition()
        self._is_ending = False
        self._deadline_s: float | None = None
        self._thread = threading.Thread(target=self._run, name="otlp", daemon=True)
        self.counts = SentCounts()

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def add(self, segment: Path) -> None:
        """Queue a segment; if the queue is full, the oldest one is dropped."""
        with self._condition:
            if len(self._queue) >= QUEUE_SEGMENTS:
                self._drop(self._queue.popleft(), "the queue was full")
            self._queue.append(segment)
            self._condition.notify()

    def end(self, limit_s: float = END_LIMIT_S) -> None:
        """Send the rest of the queue within a time, and drop what is left."""
        with self._condition:
            self._is_ending = True
            self._deadline_s = time.monotonic() + limit_s
            self._condition.notify()
        self._thread.join(limit_s + 1.0)
        with self._condition:
            while self._queue:
                self._drop(self._queue.popleft(), "the recording ended")

    def _run(self) -> None:
        while (segment := self._next()) is not None:
            self._send(segment)

    def _next(self) -> Path | None:
        """Return the next segment; None at the end."""
        with self._condition:
            while not self._queue:
                if self._is_ending:
                    return None
                self._condition.wait()
            return None if self._is_late() else self._queue.popleft()

    def _send(self, segment: Path) -> None:
        try:
            content = self._encode(segment)
        except (StallscopeError, OSError, MemoryError, ValueError) as error:
            is_removed = not segment.exists()
            text = "it was removed before it was sent" if is_removed else printable(str(error))
            self._drop(segment, text[:200])
            return
        for attempt in range(ATTEMPTS):
            delivery = self._post(content)
            if not delivery.failure:
                self.counts.segments += 1
                self.counts.sent_bytes += len(content)
                self.counts.rejected += delivery.rejected
                return
            self.counts.failure = delivery.failure
            is_last = attempt == ATTEMPTS - 1
            if not delivery.may_retry or is_last or not self._back_off(attempt, delivery):
                self._drop(segment, delivery.failure)
                return
            self.counts.retries += 1

    def _back_off(self, attempt: int, delivery: Delivery) -> bool:
        """Wait, and return whether there is time for another attempt."""
        wait_s = min(MAX_BACK_OFF_S, self._back_off_s * 2**attempt) * random.uniform(0.5, 1.0)  # noqa: S311
        end_s = time.monotonic() + max(wait_s, min(delivery.retry_after_s, MAX_BACK_OFF_S))
        with self._condition:
            while (left_s := end_s - time.monotonic()) > 0:
                if self._deadline_s is not None and end_s > self._deadline_s:
                    return False
                self._condition.wait(left_s)
        return not self._is_late()

    def _is_late(self) -> bool:
        return self._deadline_s is not None and time.monotonic() >= self._deadline_s

    def _drop(self, segment: Path, reason: str) -> None:
        with self._condition:
            dropped = self.counts.dropped
            # A receiver chooses the texts, and may choose a new one for each request.
            is_new = reason not in dropped and len(dropped) >= MAX_REASONS
            dropped["other reasons" if is_new else reason] += 1
            self.counts.last_dropped = segment.name
