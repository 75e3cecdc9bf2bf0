"""Watches of known events, from raw trace pages."""

from pathlib import Path

from ioprobe.watch.devices import WatchedDevice
from ioprobe.watch.histograms import LatencyHeatMap
from ioprobe.watch.processes import ProcessTable
from ioprobe.watch.tally import CompletedRequests, RequestTally
from ioprobe.watch.tracepoints import block_tracepoints
from ioprobe.watch.tracing import WatchMeasurement, WatchScope
from stallscope._native import BlockRequests
from tests.ioprobe.block_pages import (
    COMPLETE,
    DISK,
    ISSUE,
    PAGE_BYTES,
    BlockPages,
    request,
    write_formats,
)

HOSTILE = b"<b>\x1b[31m\xe2\x80\xae"
SDA = WatchedDevice("sda", DISK, bio_based=False, size_bytes=10**9, partitions=())
SCOPE = WatchScope((SDA,), (), frozenset(), 2.0)


def watch_of_events(folder: Path, *, lost: int = 0) -> WatchMeasurement:
    """Return a watch of two seconds: reads of two processes and a failed write."""
    pages = BlockPages()
    for number in range(90):
        request(pages, 20_000_000 * number, 64 * number, tid=40, comm=b"database")
    for number in range(10):
        request(pages, 1_800_000_000 + 1000 * number, 8, tid=41, comm=HOSTILE)
    pages.add(ISSUE, 1_900_000_000, 800, tid=42, comm=b"writer", rwbs=b"WS", sectors=256)
    pages.add(COMPLETE, 1_904_000_000, 800, tid=0, rwbs=b"WS", sectors=256, error=-5)
    pages.add(ISSUE, 1_905_000_000, 1600, tid=42, comm=b"writer", rwbs=b"W")
    tracepoints = block_tracepoints(write_formats(folder / "events"), None, [])
    requests = BlockRequests(tracepoints.layouts, PAGE_BYTES, {})
    requests.add_pages(0, pages.whole())
    requests.settle(2**63 - 1)
    tally = RequestTally(LatencyHeatMap(0), ProcessTable(folder / "no-proc"))
    tally.add(CompletedRequests.take(requests))
    return WatchMeasurement(
        seconds=2.0,
        tally=tally,
        counts=requests.counts(),
        lost_events=lost,
        kernel_counts={DISK: {"reads": 100, "read_merges": 1, "writes": 1, "write_merges": 0}},
        own_cpu_s=0.05,
        buffer_kb=8192,
        missing=("block/block_getrq",) if lost else (),
    )
