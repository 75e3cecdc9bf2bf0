"""The I/O queue in the reference server: GETs beside its own compaction, with a limit and without.

One `stallscope lab storm --server` on a directory of its own under build/, in rounds whose order
alternates. "ours" is the limit that is named, the "peer" the same server with --disk-limit none:
all that compaction asks for is on the disk at once. "Below 1" is less latency. It has no bars: the
recommended limit is the server's own, whatever the disk, and what it costs compaction is told.
"""

from pathlib import Path

from benchmarks.effort import pairs, seconds
from benchmarks.pairs import save
from benchmarks.storm import cases
from harness.labs.storm.options import StormOptions
from harness.labs.storm.server import measure_server_storm

LIMITS = (32, 16)  # beside the server's own
ROUNDS = 7
DURATION_S = 4.0
WARMUP_S = 0.5
REST_S = 1.0  # cloud disks have limiters with a burst, and drives have caches
VALUES_BYTES = 2**29


def run() -> None:
    """Measure the server's storm on the disk under build/."""
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
    save("storm_server", "./dev bench storm_server", cases(measure_server_storm(options), {}))
