"""Runs of the collector, each with its own load."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.topdown import phase_collect
from harness.topdown.phase_collect import collect_in_load
from stallscope.collector import CollectionEnd, CountOptions

END = CollectionEnd(0, "phases ended", interrupted=False)


class FakeCollector:
    def __init__(self, marks: socket.socket) -> None:
        self.marks = marks

    def finish(self) -> CollectionEnd:
        return END


def options(pid: int) -> CountOptions:
    return CountOptions(output=Path("run"), plan=Path("plan"), pids=(pid,), duration_s=3.0)


def test_a_load_runs_for_each_counting_of_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[CountOptions] = []
    loads: list[int] = []
    marks, other = socket.socketpair()

    @contextmanager
    def collector(options: CountOptions) -> Iterator[FakeCollector]:
        counted.append(options)
        yield FakeCollector(marks)

    monkeypatch.setattr(phase_collect, "phase_collector", collector)
    monkeypatch.setattr(phase_collect, "collect", lambda *_: CollectionEnd(0, "trial", False))
    collect = collect_in_load(42, loads.append)
    with marks, other:
        assert collect(options(42), lambda _: None, None) is END
        assert loads == [marks.fileno()]
        # The marks end the counting, which begins before the warm-up.
        assert [item.duration_s for item in counted] == [None]
        assert collect(options(7), lambda _: None, None).reason == "trial"
        assert len(loads) == 1
