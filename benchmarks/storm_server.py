"""The I/O queue in the reference server: GETs beside its own compaction, with and without a limit.

One `stallscope lab storm --server` on a directory below build/, in rounds of alternating order.
"Ours" is the named limit; the "peer" is the same server with --disk-limit none, where all requests
of compaction are on the disk at once. A latency ratio below 1 is an improvement. There are no bars:
the recommended limit is the server's default, whatever the disk; its cost for compaction is shown.
"""

from benchmarks.cases import Case
from benchmarks.storm import cases, storm_options
from harness.labs.storm.server import measure_server_storm

LIMITS = (32, 16)  # compared with the server's default
ROUNDS = 7
DURATION_S = 4.0
WARMUP_S = 0.5
VALUES_BYTES = 2**29


def run() -> list[Case]:
    """Measure the server's storm on the disk below build/."""
    options = storm_options(
        rounds=ROUNDS,
        duration_s=DURATION_S,
        warmup_s=WARMUP_S,
        limits=LIMITS,
        size_bytes=VALUES_BYTES,
        server=True,
    )
    return cases(measure_server_storm(options), {})
