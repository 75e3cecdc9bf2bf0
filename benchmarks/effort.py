"""Length of the benchmarks that run servers and disks; the environment can shorten them."""

import os


def pairs(default: int) -> int:
    """Return the number of pairs: STALLSCOPE_BENCH_PAIRS if set, otherwise the default."""
    return int(os.environ.get("STALLSCOPE_BENCH_PAIRS", default))


def seconds(default: float) -> float:
    """Return the length of a run: STALLSCOPE_BENCH_SECONDS if set, otherwise the default."""
    return float(os.environ.get("STALLSCOPE_BENCH_SECONDS", default))
