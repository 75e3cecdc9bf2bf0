"""Parsing of the storm's JSON lines: a missing value stays unknown."""

import json

import pytest

from ioprobe import storm
from ioprobe.engine.lines import ProgramLine
from ioprobe.storm import (
    StormProgress,
    StormRound,
    StormRun,
    StormSetting,
    StormStreams,
    storm_events,
)
from ioprobe.target.simulated import parse_simulated
from ioprobe.target.target import DiskTarget, TargetKind
from stallscope.errors import RecordingError

PATH = "sim:servers=8,service=1ms"
TARGET = DiskTarget(TargetKind.SIMULATED, PATH, None, 0, 2**30, simulated=parse_simulated(PATH))
RUN = StormRun("a", 0, StormSetting(8, (1000, 100)), 0.1, 1.0)
LATENCY = {"min": 1, "mean": 2, "max": 9, "p50": 2, "p90": 3, "p99": 4, "p99.9": 5, "p99.99": 6}
LINE = {
    "kind": "round", "id": "a", "source": "modelled", "real_time": False, "interrupted": False,
    "reader": {"requests": 7, "latency_ns": LATENCY}, "writer": {"bytes_per_s": 5},
    "seconds": 1, "pending": 0, "in_flight": 8, "iowait_share": 0, "cpu_delay_share": 0,
}  # fmt: skip
NUMBERS = ("seconds", "pending", "in_flight", "iowait_share", "cpu_delay_share")


def line_of(document: dict[str, object]) -> ProgramLine:
    return ProgramLine(str(document["kind"]), json.dumps(document).encode())


def read(monkeypatch: pytest.MonkeyPatch, line: dict[str, object]) -> StormRound:
    monkeypatch.setattr(storm, "program_lines", lambda *_: iter([line_of(line)]))
    (result,) = storm_events(TARGET, StormStreams(), [RUN])
    assert isinstance(result, StormRound)
    return result


def test_zero_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    result = read(monkeypatch, LINE)
    assert [getattr(result, name) for name in NUMBERS] == [1, 0, 8, 0, 0]
    assert result.writer_bytes_per_s == 5
    assert result.reader is not None
    assert (result.reader.p99, result.reader.max) == (4, 9)


def test_null_stays_null(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = {"requests": 7, "latency_ns": LATENCY | {"p99": None}}
    nulls = dict.fromkeys(NUMBERS) | {"reader": reader, "writer": {"bytes_per_s": None}}
    result = read(monkeypatch, LINE | nulls)
    assert [getattr(result, name) for name in NUMBERS] == [None] * 5
    assert result.writer_bytes_per_s is None
    assert result.reader is None, "one of its latencies is missing"


def test_progress_is_parsed_or_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    line = {"kind": "progress", "id": "a", "elapsed_s": 0}
    monkeypatch.setattr(storm, "program_lines", lambda *_: iter([line_of(line)]))
    assert list(storm_events(TARGET, StormStreams(), [RUN])) == [StormProgress("a", 0.0)]
    line["elapsed_s"] = None
    with pytest.raises(RecordingError, match="elapsed_s"):
        list(storm_events(TARGET, StormStreams(), [RUN]))
