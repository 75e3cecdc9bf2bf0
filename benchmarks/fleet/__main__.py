"""Write synthetic fleets and print bytes, query time and memory by number of hosts.

python -m benchmarks.fleet DIR [HOURS] [HOSTS...]
"""

import resource
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.fleet.synthetic import SyntheticFleet
from harness.fleet.query import QueryOptions
from harness.fleet.top.session import fleet_top


def measure(root: Path) -> None:
    """Print time and peak memory of one query."""
    begin_s = time.perf_counter()
    result = fleet_top(QueryOptions((root,)))
    elapsed_s = time.perf_counter() - begin_s
    size = sum(path.stat().st_size for path in root.rglob("*.parquet"))
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{result.hosts:,} hosts, {result.recordings:,} recordings, {size / result.hosts:,.0f} "
        f"bytes per host, query {elapsed_s:.2f} s, peak {peak_mib:,.0f} MiB, "
        f"{result.functions_total:,} functions"
    )


def main(words: list[str]) -> None:
    """Write a fleet per number of hosts, and measure each in its own process."""
    if words[:1] == ["--measure"]:
        measure(Path(words[1]))
        return
    if not words:
        sys.exit("usage: python -m benchmarks.fleet DIR [HOURS] [HOSTS...]")
    folder, hours = Path(words[0]), int(words[1]) if len(words) > 1 else 24
    for hosts in [int(word) for word in words[2:]] or [1, 10, 100]:
        root = folder / str(hosts)
        fleet = SyntheticFleet(root)
        begin_s = time.perf_counter()
        for number in range(hosts):
            fleet.write_host(number, hours)
        print(f"written in {time.perf_counter() - begin_s:.1f} s: ", end="", flush=True)
        command = [sys.executable, "-m", "benchmarks.fleet", "--measure", str(root)]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
