"""A collector of the test, which writes recordings without measuring."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import BinaryIO

from stallscope.collector import CollectionEnd, CollectorOptions, CollectorProgress, Started
from stallscope.errors import StallscopeError

Beside = Callable[[BinaryIO], AbstractContextManager[object]]


@dataclass
class Outcome:
    """What a run of the collector leaves. ``error`` is raised after the recording was written."""

    samples: int = 10
    reason: str = "duration"
    error: StallscopeError | None = None
    interrupted: bool = False
    progress: tuple[CollectorProgress, ...] = ()
    content: bytes = b"samples"
    is_written: bool = True


@dataclass
class SegmentCollector:
    """Stands in for ``stallscope.collector.collect``; takes an outcome for each run."""

    outcomes: list[Outcome]
    runs: list[CollectorOptions] = field(default_factory=list)
    control: bytes = b""

    def collect(
        self,
        options: CollectorOptions,
        on_progress: Callable[[CollectorProgress], None],
        command_output: object,
        beside: Beside,
    ) -> CollectionEnd:
        import os

        del command_output
        self.runs.append(options)
        outcome = self.outcomes.pop(0)
        if outcome.is_written:
            options.output.mkdir()
            self._write(options, outcome)
        read, write = os.pipe()
        try:
            with open(write, "wb") as control, beside(control):
                on_progress(Started(pids=options.pids))
                for progress in outcome.progress:
                    on_progress(progress)
            self.control += os.read(read, 100)
        finally:
            os.close(read)
        if outcome.error is not None:
            raise outcome.error
        return CollectionEnd(0, outcome.reason, outcome.interrupted)

    @staticmethod
    def _write(options: CollectorOptions, outcome: Outcome) -> None:
        (options.output / "samples.perf").write_bytes(outcome.content)
        document = {
            "schema": "stallscope.recording/1.0",
            "complete": True,
            "samples": outcome.samples,
            "losses": {"lost_samples": 1},
            "clocks": {"start_monotonic_ns": 0, "end_monotonic_ns": 2_000_000_000},
            "end": {"reason": outcome.reason},
            "attach": {"ring_bytes": 1000},
        }
        (options.output / "recording.json").write_text(json.dumps(document))
