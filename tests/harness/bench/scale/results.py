"""Results of `bench scale` for tests."""

from harness.bench.scale.build import Workload, scale_result
from harness.bench.scale.fits import Fits, fit_laws
from harness.bench.scale.options import FitOptions
from harness.bench.scale.readings import CountMeasurement, by_count
from harness.bench.scale.result import BenchScaleResult, Beside, BesideValue

BESIDE = Beside(
    counts=(1, 8),
    recordings=("one", "eight"),
    states=(BesideValue(name="lock", unit="share", values=(0.1, 0.6)),),
    counters=(BesideValue(name="IPC", unit="", values=(None, 1.5)),),
)


def usl_result(
    counts=(1, 2, 4, 6, 8, 10), *, sigma=0.02, kappa=0.02, cpus=None, beside=None
) -> tuple[BenchScaleResult, Fits]:
    """Return the result of exact data, with busy CPUs if there are CPUs."""
    readings = []
    for n in counts:
        rate = 100 * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))
        busy = None if cpus is None else min(n, cpus)
        readings += [
            CountMeasurement(n, rate, "", None, busy),
            CountMeasurement(n, rate, "", None, busy),
        ]
    points = by_count(readings)
    fits = fit_laws(points, None)
    workload = Workload("./work --threads {n}", "req/s", cpus, beside)
    return scale_result(points, fits, FitOptions(), workload), fits
