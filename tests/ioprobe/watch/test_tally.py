"""From raw pages to rows by device, size and process: names, filters, bounds."""

from pathlib import Path

import pytest

from ioprobe.watch import tally as watch_tally
from ioprobe.watch.counts import HeatMap
from ioprobe.watch.processes import UNKNOWN, Process, Processes
from ioprobe.watch.tally import OTHERS, Finished, Tally
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


def read(folder: Path, pages: BlockPages) -> tuple[BlockRequests, Finished]:
    points = block_tracepoints(write_formats(folder / "events"), None, [])
    requests = BlockRequests(points.layouts, PAGE_BYTES, {})
    requests.add_pages(0, pages.whole())
    requests.settle(LAST_NS)
    return requests, Finished.of(requests)


def made_proc(folder: Path, group: int, thread: int, name: str) -> Path:
    for number, text in ((group, name), (thread, "worker")):
        (folder / str(number)).mkdir(parents=True)
        (folder / str(number) / "status").write_text(f"Name:\t{text}\nTgid:\t{group}\nPid:\t1\n")
        (folder / str(number) / "comm").write_text(f"{text}\n")
    return folder


def test_requests_are_of_the_process_that_inserted_them(tmp_path: Path) -> None:
    proc = made_proc(tmp_path / "proc", 40, 41, "database")
    pages = BlockPages()
    for number in range(100):
        request(pages, 1_000 * number, 8 * number, tid=41, comm=b"worker")
    request(pages, 200_000, 8, tid=500, comm=b"gone\xff")
    requests, some = read(tmp_path, pages)
    tally = Tally(HeatMap(0), Processes(proc))
    assert tally.add(some).end_ns.size == 101
    (by,) = tally.devices
    assert by == (DISK, 0)
    row = tally.devices[by]
    assert (row.requests, row.bytes, row.queue.count) == (101, 101 * 4096, 101)
    latencies = row.device.latencies()
    assert latencies is not None
    assert (latencies.min, latencies.max, latencies.p50) == (100, 100, 100)
    assert (row.queue.sum_ns, row.total.sum_ns) == (1010, 11110)
    found = {process: each.requests for (_, process), each in tally.processes.items()}
    assert found == {Process(40, "database"): 100, Process(500, "gone\ufffd"): 1}
    assert {size for _, size in tally.sizes} == {(4096, 8191)}
    assert requests.counts()["events"] == 303
    assert int(tally.heat.counts.sum()) == 101


def test_other_processes_are_counted_apart(tmp_path: Path) -> None:
    proc = made_proc(tmp_path / "proc", 40, 41, "database")
    pages = BlockPages()
    request(pages, 0, 8, tid=41, comm=b"worker")
    request(pages, 1000, 8, tid=50, comm=b"other")
    _, some = read(tmp_path, pages)
    tally = Tally(HeatMap(0), Processes(proc), frozenset({40}))
    assert tally.add(some).end_ns.size == 1
    assert tally.others == 1
    assert [process.pid for _, process in tally.processes] == [40]
    empty = Tally(HeatMap(0), Processes(proc), frozenset({9}))
    assert empty.add(some).end_ns.size == 0
    assert (empty.others, empty.devices) == (2, {})


def test_a_flush_is_of_who_asked_and_unknown_where_nobody_did(tmp_path: Path) -> None:
    pages = BlockPages()
    pages.add(GETRQ, 50, 0, tid=700, comm=b"writer", rwbs=b"FWS", sectors=0)
    for begin_ns in (100, 900):
        pages.add(ISSUE, begin_ns, 0, tid=9, comm=b"kworker", rwbs=b"FF", sectors=0)
        pages.add(COMPLETE, begin_ns + 40, 2**64 - 1, tid=77, rwbs=b"FF", sectors=0)
    _, some = read(tmp_path, pages)
    tally = Tally(HeatMap(0), Processes(tmp_path / "none"))
    tally.add(some)
    assert list(tally.processes) == [
        ((DISK, 3), UNKNOWN),
        ((DISK, 3), Process(700, "writer")),
    ]
    assert list(tally.sizes) == [((DISK, 3), (0, 0))]


def test_errors_are_counted_by_their_number(tmp_path: Path) -> None:
    pages = BlockPages()
    for number, error in enumerate((0, -5, -5)):
        pages.add(ISSUE, 100 * number, 8)
        pages.add(COMPLETE, 100 * number + 50, 8, error=error)
    _, some = read(tmp_path, pages)
    tally = Tally(HeatMap(0), Processes(tmp_path))
    tally.add(some)
    assert tally.devices[DISK, 0].errors == {-5: 2}
    assert tally.devices[DISK, 0].queue.latencies() is None  # nothing inserted them


def test_processes_beyond_the_bound_are_counted_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_tally, "MOST_PROCESS_ROWS", 3)
    pages = BlockPages()
    for number in range(10):
        request(pages, 1000 * number, 8, tid=100 + number, comm=b"p%d" % number)
    _, some = read(tmp_path, pages)
    tally = Tally(HeatMap(0), Processes(tmp_path))
    tally.add(some)
    assert len(tally.processes) == 4
    assert tally.processes[(DISK, 0), OTHERS].requests == 7


def test_a_loss_is_told_and_nothing_across_it(tmp_path: Path) -> None:
    pages = BlockPages()
    pages.add(ISSUE, 100, 8)
    pages.flush()
    pages.add(COMPLETE, 5_000, 8)
    request(pages, 6_000, 16, tid=5, comm=b"x")
    pages.flush(missed=True)
    requests, some = read(tmp_path, pages)
    counts = requests.counts()
    assert some.end_ns.tolist() == [6110]
    assert (counts["losses"], counts["discarded"], counts["begin_unseen"]) == (1, 1, 1)
