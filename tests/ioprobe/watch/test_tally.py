"""Totals by device, size and process, from raw trace pages."""

from pathlib import Path

import pytest

from ioprobe.watch import tally as watch_tally
from ioprobe.watch.histograms import LatencyHeatMap
from ioprobe.watch.processes import UNKNOWN, Process, ProcessTable
from ioprobe.watch.tally import OTHERS, CompletedRequests, RequestTally
from ioprobe.watch.tracepoints import block_tracepoints
from stallscope._native import BlockRequests
from tests.ioprobe.block_pages import (
    COMPLETE,
    DISK,
    GETRQ,
    ISSUE,
    PAGE_BYTES,
    BlockPages,
    request,
    write_formats,
)

LAST_NS = 2**63 - 1


def read(folder: Path, pages: BlockPages) -> tuple[BlockRequests, CompletedRequests]:
    points = block_tracepoints(write_formats(folder / "events"), None, [])
    requests = BlockRequests(points.layouts, PAGE_BYTES, {})
    requests.add_pages(0, pages.whole())
    requests.settle(LAST_NS)
    return requests, CompletedRequests.take(requests)


def make_proc(folder: Path, group: int, thread: int, name: str) -> Path:
    for number, text in ((group, name), (thread, "worker")):
        (folder / str(number)).mkdir(parents=True)
        (folder / str(number) / "status").write_text(f"Name:\t{text}\nTgid:\t{group}\nPid:\t1\n")
        (folder / str(number) / "comm").write_text(f"{text}\n")
    return folder


def test_a_request_belongs_to_the_process_that_inserted_it(tmp_path: Path) -> None:
    proc = make_proc(tmp_path / "proc", 40, 41, "database")
    pages = BlockPages()
    for number in range(100):
        request(pages, 1_000 * number, 8 * number, tid=41, comm=b"worker")
    request(pages, 200_000, 8, tid=500, comm=b"gone\xff")
    requests, completed = read(tmp_path, pages)
    tally = RequestTally(LatencyHeatMap(0), ProcessTable(proc))
    assert tally.add(completed).end_ns.size == 101
    (key,) = tally.devices
    assert key == (DISK, 0)
    row = tally.devices[key]
    assert (row.requests, row.bytes, row.queue.count) == (101, 101 * 4096, 101)
    latencies = row.device.latencies()
    assert latencies is not None
    assert (latencies.min, latencies.max, latencies.p50) == (100, 100, 100)
    assert (row.queue.sum_ns, row.total.sum_ns) == (1010, 11110)
    requests_by_process = {
        process: totals.requests for (_, process), totals in tally.processes.items()
    }
    assert requests_by_process == {Process(40, "database"): 100, Process(500, "gone\ufffd"): 1}
    assert {size for _, size in tally.sizes} == {(4096, 8191)}
    assert requests.counts()["events"] == 303
    assert int(tally.heat.counts.sum()) == 101


def test_requests_of_other_processes_are_counted_separately(tmp_path: Path) -> None:
    proc = make_proc(tmp_path / "proc", 40, 41, "database")
    pages = BlockPages()
    request(pages, 0, 8, tid=41, comm=b"worker")
    request(pages, 1000, 8, tid=50, comm=b"other")
    _, completed = read(tmp_path, pages)
    tally = RequestTally(LatencyHeatMap(0), ProcessTable(proc), frozenset({40}))
    assert tally.add(completed).end_ns.size == 1
    assert tally.others == 1
    assert [process.pid for _, process in tally.processes] == [40]
    empty = RequestTally(LatencyHeatMap(0), ProcessTable(proc), frozenset({9}))
    assert empty.add(completed).end_ns.size == 0
    assert (empty.others, empty.devices) == (2, {})


def test_a_flush_belongs_to_its_requester_or_to_no_process(tmp_path: Path) -> None:
    pages = BlockPages()
    pages.add(GETRQ, 50, 0, tid=700, comm=b"writer", rwbs=b"FWS", sectors=0)
    for begin_ns in (100, 900):
        pages.add(ISSUE, begin_ns, 0, tid=9, comm=b"kworker", rwbs=b"FF", sectors=0)
        pages.add(COMPLETE, begin_ns + 40, 2**64 - 1, tid=77, rwbs=b"FF", sectors=0)
    _, completed = read(tmp_path, pages)
    tally = RequestTally(LatencyHeatMap(0), ProcessTable(tmp_path / "none"))
    tally.add(completed)
    assert list(tally.processes) == [
        ((DISK, 3), UNKNOWN),
        ((DISK, 3), Process(700, "writer")),
    ]
    assert list(tally.sizes) == [((DISK, 3), (0, 0))]


def test_errors_are_counted_by_errno(tmp_path: Path) -> None:
    pages = BlockPages()
    for number, error in enumerate((0, -5, -5)):
        pages.add(ISSUE, 100 * number, 8)
        pages.add(COMPLETE, 100 * number + 50, 8, error=error)
    _, completed = read(tmp_path, pages)
    tally = RequestTally(LatencyHeatMap(0), ProcessTable(tmp_path))
    tally.add(completed)
    assert tally.devices[DISK, 0].errors == {-5: 2}
    assert tally.devices[DISK, 0].queue.latencies() is None  # without insert events


def test_processes_beyond_the_limit_are_counted_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_tally, "MAX_PROCESS_ROWS", 3)
    pages = BlockPages()
    for number in range(10):
        request(pages, 1000 * number, 8, tid=100 + number, comm=b"p%d" % number)
    _, completed = read(tmp_path, pages)
    tally = RequestTally(LatencyHeatMap(0), ProcessTable(tmp_path))
    tally.add(completed)
    assert len(tally.processes) == 4
    assert tally.processes[(DISK, 0), OTHERS].requests == 7


def test_requests_across_a_loss_are_discarded(tmp_path: Path) -> None:
    pages = BlockPages()
    pages.add(ISSUE, 100, 8)
    pages.flush()
    pages.add(COMPLETE, 5_000, 8)
    request(pages, 6_000, 16, tid=5, comm=b"x")
    pages.flush(missed=True)
    requests, completed = read(tmp_path, pages)
    counts = requests.counts()
    assert completed.end_ns.tolist() == [6110]
    assert (counts["losses"], counts["discarded"], counts["begin_unseen"]) == (1, 1, 1)
