"""Following a counting while it runs: its intervals as they fill, from what is on the disk."""

import time
from collections.abc import Callable
from pathlib import Path

from stallscope.collector import CollectorProgress
from stallscope.errors import RecordingError
from topdown.slots.measurement import Measurement, Slice

OnSlice = Callable[[Slice, Measurement], None]
LEAST_PAUSE_S = 0.2
# Reading anew costs more as the recording grows: it may take this part of the time at most.
READING_SHARE = 0.1


class Follower:
    """Passes on each interval of one recording once, in order, as soon as it is whole."""

    def __init__(
        self,
        directory: Path,
        interval_ms: int | None,
        on_slice: OnSlice,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the recording's directory; without an interval nothing is followed."""
        self._directory = directory
        self._interval_ms = interval_ms
        self._on_slice = on_slice
        self._clock = clock
        self._next_s = 0.0
        self._told = 0

    def follow(self, progress: CollectorProgress) -> None:
        """Look at the recording, unless that was done just now."""
        if self._interval_ms is None or progress.kind != "progress" or self._clock() < self._next_s:
            return
        import numpy as np  # noqa: F401, PLC0415 - loaded once, it is no cost of reading

        from topdown.slots.counting.session import measurement_of_recording  # noqa: PLC0415

        began = self._clock()
        try:
            found = measurement_of_recording(self._directory, interval_ms=self._interval_ms)
        except RecordingError:
            return  # nothing whole is written yet
        self._tell(found, found.slices[:-1])  # the last one may still grow
        ended = self._clock()
        self._next_s = ended + max(LEAST_PAUSE_S, (ended - began) / READING_SHARE)

    def finish(self, measurement: Measurement) -> None:
        """Pass on what is left of the finished measurement."""
        self._tell(measurement, measurement.slices)

    def _tell(self, measurement: Measurement, slices: tuple[Slice, ...]) -> None:
        for each in slices[self._told :]:
            self._on_slice(each, measurement)
        self._told = max(self._told, len(slices))
