"""How long the benchmarks of the server run: less, where the environment asks for less."""

import os


def pairs(usual: int) -> int:
    """Return how many pairs to run; STALLSCOPE_BENCH_PAIRS, where set, says it."""
    return int(os.environ.get("STALLSCOPE_BENCH_PAIRS", usual))


def seconds(usual: float) -> float:
    """Return how long each run lasts; STALLSCOPE_BENCH_SECONDS, where set, says it."""
    return float(os.environ.get("STALLSCOPE_BENCH_SECONDS", usual))
