"""A capture with addresses in which two threads share a line falsely."""

from pathlib import Path

import pytest

from tests.captures.memory_capture import (
    HIT_L1,
    HIT_L3,
    LOAD,
    MODIFIED,
    STORE,
    Access,
    write_capture,
)

LINE = 0x7F00_0000_0040
THREADS = [(11, b"writer"), (12, b"reader"), (13, b"\x1b[31m")]
SHARED = [Access(LINE, STORE | HIT_L1, tid=11)] * 20 + [
    Access(LINE + 8, LOAD | HIT_L3 | MODIFIED, tid=12, cpu=1, latency=90)
] * 20


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    path = tmp_path / "perf.data"
    write_capture(path, SHARED, threads=THREADS)
    return path
