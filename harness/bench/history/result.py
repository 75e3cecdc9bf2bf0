"""The documents of `stallscope bench history`: a stored run, and the changes over all runs."""

from stallscope.documents import Amount, Count, Document, Integer, Number, Record, Share


class StoredValue(Record, frozen=True, kw_only=True):
    """The median of a benchmark and unit in a run; ``better``: 1 higher, -1 lower, 0 unknown."""

    name: str
    unit: str
    median: Number
    n: Count
    better: Integer = 0


class HistoryRun(Document, frozen=True, kw_only=True, tag="stallscope.bench.history.run/1"):
    """A run: its label (such as a commit), time, host, and the medians of its benchmarks."""

    label: str
    time_s: Amount  # since 1970
    host: str  # CPU model, CPUs and architecture; runs of other hosts are other series
    hostname: str
    kernel: str
    values: tuple[StoredValue, ...]


class SeriesChange(Record, frozen=True, kw_only=True):
    """A change point: the first run after it, and the medians of the runs on both sides.

    The direction is "better", "worse", or "higher" or "lower" if the unit has none.
    """

    index: Count
    label: str
    time_s: Amount
    before: Number
    after: Number
    delta: Number | None
    p: Share
    direction: str


class BenchmarkSeries(Record, frozen=True, kw_only=True):
    """A benchmark and unit on one host; ``is_worse``: its last change is for the worse."""

    name: str
    unit: str
    host: str
    runs: Count
    latest: Number
    changes: tuple[SeriesChange, ...]
    is_worse: bool


class HistoryResult(Document, frozen=True, kw_only=True, tag="stallscope.bench.history/1"):
    """All series by name, and what could not be read."""

    directory: str
    runs: Count
    added: str | None  # the label of the run that was added
    series: tuple[BenchmarkSeries, ...]
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
