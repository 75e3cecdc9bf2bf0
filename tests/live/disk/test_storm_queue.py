"""The I/O queue on a disk of known slowness: what the limit holds back waits in the queue."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ioprobe.storm import StormRound, StormRun, StormSetting, StormStreams, storm_events
from ioprobe.target.target import DiskTarget, TargetKind
from tests.live.disk.known_disk import known_disk

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("needs_root")]
SERVERS, SERVICE_US, LIMIT = 8, 4000, 8
SPAN_BYTES = 64 * 2**20
SHARES = (1000, 100)


@contextmanager
def opened_for_writing(path: str) -> Iterator[DiskTarget]:
    """The file of a known disk, which discards what is written."""
    descriptor = os.open(path, os.O_RDWR | os.O_DIRECT)
    try:
        yield DiskTarget(TargetKind.FILE, path, descriptor, 0, SPAN_BYTES, writable=True)
    finally:
        os.close(descriptor)


def storm_round(target: DiskTarget, depth: int, limit: int | None) -> StormRound:
    run = StormRun("1", 0, StormSetting(limit, SHARES), 0.05, 0.25)
    streams = StormStreams(writer_bytes=4096, writer_depth=depth)
    (result,) = [
        event for event in storm_events(target, streams, [run]) if isinstance(event, StormRound)
    ]
    assert not result.errors
    return result


def test_pending_rises_with_the_load_while_in_flight_stays_at_the_limit() -> None:
    words = ("--servers", SERVERS, "--service-us", SERVICE_US, "--size-bytes", SPAN_BYTES)
    with known_disk(*words) as disk, opened_for_writing(disk.path) as target:
        limited = {depth: storm_round(target, depth, LIMIT) for depth in (4, 16, 64)}
        unlimited = storm_round(target, 64, None)
    below = limited.pop(4)
    assert below.pending == pytest.approx(0, abs=0.5)
    assert below.in_flight == pytest.approx(5, abs=0.5)
    for depth, result in limited.items():
        outstanding = depth + 1  # the reader has one
        assert result.in_flight is not None
        assert LIMIT - 1 <= result.in_flight <= LIMIT + 0.01  # the clock is read twice
        assert result.pending == pytest.approx(outstanding - LIMIT, abs=1.5)
    assert unlimited.pending == pytest.approx(0, abs=0.5)
    assert unlimited.in_flight == pytest.approx(65, abs=1.5)
    # A read passes the writes that wait in the queue, but not those below it.
    assert limited[64].reader is not None
    assert unlimited.reader is not None
    assert limited[64].reader.p50 < unlimited.reader.p50 / 2
