"""The text of a watch for a terminal."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.io.watch.result import (
    HeatMapCounts,
    LostEvents,
    QueueEvents,
    RequestsUnderWay,
    WatchOverhead,
    WatchResult,
    watch_result,
)
from harness.io.watch.text import HEADS, lines, progress_line, row_cells
from ioprobe.watch.tracing import WatchProgress
from tests.harness.io.watch.watches import SCOPE, watch_of_events


@pytest.fixture
def result(tmp_path: Path) -> WatchResult:
    return watch_result(watch_of_events(tmp_path), SCOPE, ["a note"])


def test_the_text_has_tables_a_heat_map_and_facts(result: WatchResult) -> None:
    text = "\n".join(lines(result, 100))
    assert text.startswith("Block requests of 2.0 s: sda\n")
    assert "sda read" in text
    assert "database (40)" in text
    assert "128K-256K" in text
    assert "█" in text
    assert "100 reads (1 merged), 1 writes" in text
    assert "2.5 % of one CPU" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_loss_is_printed(tmp_path: Path) -> None:
    result = watch_result(watch_of_events(tmp_path, lost=7), SCOPE, [])
    text = "\n".join(lines(result, 100))
    assert "the kernel lost 7 events" in text
    assert "an unknown number at the start" in text
    assert "no tracepoint block:block_getrq" in text


def test_an_unknown_loss_is_printed(tmp_path: Path) -> None:
    measurement = replace(watch_of_events(tmp_path), lost_events=None)
    text = "\n".join(lines(watch_result(measurement, SCOPE, []), 100))
    assert "lost: an unknown number of events; 0 requests under way" in text
    assert "the number of lost events is unknown" in text
    progress = WatchProgress(1.0, 1.0, 1, 1, None, None, 0, lost_events=None)
    assert progress_line(progress).endswith(", lost events: unknown")


@pytest.mark.parametrize("width", [70, 80, 100, 140])
def test_tables_fit_the_terminal(result: WatchResult, width: int) -> None:
    text = list(lines(result, width))
    assert max(map(len, text)) <= width
    heads = next(line for line in text if line.startswith("Device"))
    assert ("p99.9" in heads) == (width >= 100)
    assert "p50" in heads
    assert "max" in heads


def test_percentiles_of_too_few_requests_are_left_out(result: WatchResult) -> None:
    reads, writes = result.rows
    assert (reads.requests, writes.requests) == (100, 1)
    cells = dict(zip(HEADS[6:], row_cells(writes, 2.0)[6:], strict=True))
    assert cells["Device p50"] == cells["max"] != "n/a"
    assert (cells["p90"], cells["p99"], cells["p99.9"]) == ("n/a", "n/a", "n/a")
    cells = dict(zip(HEADS[6:], row_cells(reads, 2.0)[6:], strict=True))
    assert cells["p99"] != "n/a"
    assert cells["p99.9"] == "n/a"


def test_a_watch_without_requests_is_reported() -> None:
    empty = WatchResult(
        source="measured",
        complete=True,
        seconds=1.0,
        devices=(),
        heat=HeatMapCounts(column_s=0.1),
        under_way=RequestsUnderWay(at_start=0, at_end=0),
        lost=LostEvents(events=0, requests_discarded=0),
        on_the_way=QueueEvents(merged_requests=0, splits=0, requeues=0, partial=0, same_sector=0),
        overhead=WatchOverhead(own_cpu_s=0.1, events=0),
    )
    assert "no device was active" in "\n".join(lines(empty, 100))


def test_the_live_line_has_rates_and_losses() -> None:
    line = progress_line(WatchProgress(3.0, 0.5, 1000, 4_096_000, 150_000.0, None, 4, 9))
    assert "2,000 requests/s, 8.2 MB/s, p50 150 µs, p99 n/a, 4 in flight, 9 events lost" in line
