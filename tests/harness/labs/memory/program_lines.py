"""Lines of the measuring program."""

import json
from collections.abc import Callable

from harness.labs.memory.points import Pages, RingPoint
from harness.labs.memory.program import Repeats
from stallscope import __version__

POINT = RingPoint(64, 64, Pages.SMALL, (0,))
REPEATS = Repeats(1, 100_000)
HELLO = json.dumps({"event": "hello", "version": __version__})
THREAD = {
    "latency_ns": [2.0, 1.0],
    "pages": {"kind": "small", "huge_bytes": 0, "page_bytes": 4096},
    "pages_by_node": {"0": 1},
    "counts_per_step": {"cycles": None},
    "counters_refused": {"cycles": "No such file or directory"},
}
READING = json.dumps({"event": "point", "index": 0, "threads": [THREAD]})
Script = Callable[[str], None]
