"""Intervals of a running measurement, read from its recording as they are completed."""

import time
from collections.abc import Callable
from pathlib import Path

from stallscope.collector import CollectorProgress
from stallscope.errors import RecordingError
from topdown.slots.measurement import Measurement, Slice

OnSlice = Callable[[Slice, Measurement], None]
MIN_PAUSE_S = 0.2
# The recording is read from its start each time; reading takes at most this share of the time.
MAX_READING_SHARE = 0.1


class IntervalFollower:
    """Calls a function once for each complete interval of a recording, in order."""

    def __init__(
        self,
        directory: Path,
        interval_ms: int | None,
        on_slice: OnSlice,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set the recording's directory; without an interval nothing is read."""
        self._directory = directory
        self._interval_ms = interval_ms
        self._on_slice = on_slice
        self._clock = clock
        self._next_s = 0.0
        self._passed = 0

    def follow(self, progress: CollectorProgress) -> None:
        """RowStyle at the recording, unless the last read was recent."""
        if self._interval_ms is None or progress.kind != "progress" or self._clock() < self._next_s:
            return
        import numpy as np  # noqa: F401, PLC0415 - not part of the reading time

        from topdown.slots.counting.session import measurement_of_recording  # noqa: PLC0415

        started_s = self._clock()
        try:
            measurement = measurement_of_recording(self._directory, interval_ms=self._interval_ms)
        except RecordingError:
            return  # no complete window is written yet
        self._pass(measurement, measurement.slices[:-1])  # the last one may be incomplete
        ended_s = self._clock()
        self._next_s = ended_s + max(MIN_PAUSE_S, (ended_s - started_s) / MAX_READING_SHARE)

    def finish(self, measurement: Measurement) -> None:
        """Pass the remaining intervals of the finished measurement."""
        self._pass(measurement, measurement.slices)

    def _pass(self, measurement: Measurement, slices: tuple[Slice, ...]) -> None:
        for time_slice in slices[self._passed :]:
            self._on_slice(time_slice, measurement)
        self._passed = max(self._passed, len(slices))
