"""The I/O queue in the reference server: GETs beside its own compaction, with and without a limit.

One `stallscope lab storm --server` on a directory below build/, in rounds of alternating order.
"Ours" is the named limit; the "peer" is the same server with --disk-limit none, where all requests
of compaction are on the disk at once. A latency ratio below 1 is an improvement. There are no bars:
the recommended limit is the server's default, whatever the disk; its cost for compaction is shown.
"""

from pathlib import Path

from benchmarks.cases import Case
from benchmarks.effort import pairs, seconds
from benchmarks.storm import cases
from harness.labs.storm.options import StormOptions
from harness.labs.storm.server import measure_server_storm

LIMITS = (32, 16)  # compared with the server's default
ROUNDS = 7
DURATION_S = 4.0
WARMUP_S = 0.5
REST_S = 1.0  # cloud disks have limiters with a burst, and drives have caches
VALUES_BYTES = 2**29


def run() -> list[Case]:
    """Measure the server's storm on the disk below build/."""
    folder = Path("build")
    folder.mkdir(exist_ok=True)
    options = StormOptions(
        path=str(folder),
        rounds=pairs(ROUNDS),
        duration_s=seconds(DURATION_S),
        warmup_s=WARMUP_S,
        rest_s=REST_S,
        limits=LIMITS,
        size_bytes=VALUES_BYTES,
        server=True,
    )
    return cases(measure_server_storm(options), {})
