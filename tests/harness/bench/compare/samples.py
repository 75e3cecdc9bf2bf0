"""A small result of a comparison."""

from harness.bench.compare.result import BenchCompareResult, ComparisonRow, GeometricMean, Sample


def sample(median, n=10):
    return Sample(median=median, low=median * 0.99, high=median * 1.02, n=n)


def result(**changes):
    row = ComparisonRow(
        table="goos: linux", name="Get<i>", unit="sec/op", column="b", a=sample(1e-6), b=sample(2e-6, 9), delta=1.0, p=0.0004,
        p_holm=0.0008, verdict="worse",
    )  # fmt: skip
    mean = GeometricMean(
        table="goos: linux", unit="sec/op", column="b", delta=1.0, rows=1, omitted_rows=2
    )
    values = {
        "base": "a", "columns": ("b",), "confidence": 0.95, "alpha": 0.05, "rows": (row,), "geomeans": (mean,),
        "problems": ("x:3: missing units",), "warnings": ("left out: 1 times NaN",),
    }  # fmt: skip
    return BenchCompareResult(**{**values, **changes})
