"""The document of `stallscope bench compare`."""

from stallscope.documents import Count, Document, Number, Record, Share


class Sample(Record, frozen=True, kw_only=True, gc=False):
    """A sample: median and order-statistic interval in base units; None if n is too small.

    NaN is not counted.
    """

    median: Number | None
    low: Number | None
    high: Number | None
    n: Count


class ComparisonRow(Record, frozen=True, kw_only=True, gc=False):
    """A benchmark and unit in the base column ``a`` and one other column ``b``.

    ``delta`` is b / a - 1 of the medians. ``p`` is the two-sided p-value of the exact U test,
    ``p_holm`` the one corrected for all rows, on which the verdict rests. The verdict is "better",
    "worse", "higher" or "lower" (the direction of the unit is unknown), "no difference", "need N"
    (values per sample), "only a", "only b", or "" with one column.
    """

    table: str
    name: str
    unit: str
    column: str
    a: Sample | None
    b: Sample | None
    delta: Number | None
    p: Share | None
    p_holm: Share | None
    verdict: str


class GeometricMean(Record, frozen=True, kw_only=True):
    """The mean change of a table over the rows with a positive median on both sides."""

    table: str
    unit: str
    column: str
    delta: Number | None
    rows: Count
    omitted_rows: Count


class BenchCompareResult(Document, frozen=True, kw_only=True, tag="stallscope.bench.compare/1"):
    """All rows in the order of the tables, and what was not read."""

    base: str
    columns: tuple[str, ...]
    confidence: Share
    alpha: Share
    rows: tuple[ComparisonRow, ...]
    geomeans: tuple[GeometricMean, ...]
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
