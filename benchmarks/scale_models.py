"""Models of scalability: time of 1,000 fits, and a network whose textbook recursion breaks down.

Bars: 1,000 fits of the universal scalability law to seven noisy points in under 10 s of CPU time.
32 servers of demand 1 s, another of 0.01 s, 2 s of thinking and 200 customers have a throughput of
32.0 rounds/s.
"""

import time

import numpy as np

from benchmarks.cases import Case, ours
from stallscope.statistics.closed_network import Centre, solve
from stallscope.statistics.universal_scalability import fit_usl

READINGS = 5
FITS = 1000
COUNTS = np.array([1.0, 18, 36, 72, 108, 144, 216])
THROUGHPUTS = np.array([64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2])
NOISE = 0.02


def run() -> list[Case]:
    """Measure the fits, and solve the network once."""
    fit_usl(COUNTS, THROUGHPUTS)  # imports scipy
    network = solve([Centre("cpu", 1.0, servers=32), Centre("disk", 0.01)], 200, think_s=2.0)
    return [
        Case(
            name="universal scalability law, 7 points",
            metric="CPU s for 1,000 fits",
            ours_command="stallscope.statistics.universal_scalability.fit_usl",
            bar=(ours(at_most=10),),
            ours=tuple(fits_cpu_s(seed) for seed in range(READINGS)),
        ),
        Case(
            name="32 servers, 200 customers",
            metric="throughput, rounds/s",
            ours_command="stallscope bench scale --network",
            bar=(ours(at_least=31.9999, at_most=32.0001),),
            ours=(float(network.throughput[200]),),
            exact=True,
            notes="the textbook recursion gives -9.01",
        ),
    ]


def fits_cpu_s(seed: int) -> float:
    """Return the CPU time of the fits, each of points with other noise."""
    generator = np.random.default_rng(seed)
    noise = generator.normal(1, NOISE, (FITS, COUNTS.size))
    begin = time.process_time()
    for factors in noise:
        fit_usl(COUNTS, THROUGHPUTS * factors)
    return time.process_time() - begin
