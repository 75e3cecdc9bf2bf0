"""The result of `stallscope diff`: rows by the size of their change."""

from stallscope.documents import Amount, Count, Document, Number, Record


class DiffSide(Record, frozen=True, kw_only=True):
    """A recording of the comparison."""

    recording: str
    title: str
    host: str
    cpu: str
    kernel: str
    seconds: Amount | None
    samples: Count | None


class FrameDifference(Record, frozen=True, kw_only=True):
    """A frame, or another row, in both recordings.

    ``low``, ``high``: 95 % interval of ``delta`` = b_share - a_share. ``flagged``: the change is
    beyond the noise, self or total. ``total``: with callees; None for rows without.
    """

    name: str
    module: str
    a_share: Number
    b_share: Number
    delta: Number
    low: Number | None
    high: Number | None
    p: Amount
    flagged: bool
    change: str  # "", "appeared" or "vanished"
    overdispersion: Amount
    a_total: Number | None
    b_total: Number | None
    total_delta: Number | None
    total_flagged: bool


class DiffResult(Document, frozen=True, kw_only=True, tag="stallscope.diff/1"):
    """The rows in order of |delta|; shares are per sample, second or request (``basis``)."""

    a: DiffSide
    b: DiffSide
    kind: str  # of the recordings
    noun: str  # of a row
    basis: str
    unit: str  # of the shares
    frames: tuple[FrameDifference, ...]
    flagged: Count
    largest_growth: Number | None  # of flagged rows
    failed: bool  # by --fail-above
    warnings: tuple[str, ...]
    page: str | None = None
