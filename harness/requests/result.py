"""The result of `stallscope requests`: what slow requests do more than median ones.

Times are means per request, in nanoseconds. The differences have bootstrap intervals of 95 %.
"""

from stallscope.documents import Amount, Count, Document, Number, Record, Share


class RequestMean(Record, frozen=True, kw_only=True):
    """A mean per request of both classes, and the interval of its difference."""

    slow: Amount
    median: Amount
    difference_low: Number
    difference_high: Number


class RequestState(Record, frozen=True, kw_only=True):
    """Time in a state of threads that work on a request; "suspended": no thread does.

    ``share``: of the additional latency. ``place``: functions of the program in which slow requests
    spend the difference, leaf first, or the reason of suspension.
    """

    state: str
    time_ns: RequestMean
    share: Number
    place: tuple[str, ...]
    stands_out: bool


class RequestStack(Record, frozen=True, kw_only=True):
    """A call chain, leaf first, with the mean time per request in a state."""

    state: str
    chain: tuple[str, ...]
    slow_ns: Amount
    median_ns: Amount


class RequestLock(Record, frozen=True, kw_only=True):
    """Waits of requests for a lock."""

    address: str  # hexadecimal
    kind: str
    slow_ns: Amount
    median_ns: Amount
    slow_waits: Amount
    median_waits: Amount
    place: tuple[str, ...]


class RequestPartner(Record, frozen=True, kw_only=True):
    """A thread, disk or timer that ended waits of requests, with the waiting time."""

    name: str
    slow_ns: Amount
    median_ns: Amount


class RequestActivity(Record, frozen=True, kw_only=True):
    """Number of events per request. ``source``: "measured" or "sampled"."""

    name: str
    count: RequestMean
    source: str


class RequestKind(Record, frozen=True, kw_only=True):
    """Requests with one name."""

    name: str
    requests: Count
    slow_requests: Count
    p50_ns: Count
    p99_ns: Count | None  # None: fewer than 100 requests


class RequestQuantile(Record, frozen=True, kw_only=True):
    """A latency that this share of the requests does not exceed."""

    share: Share
    latency_ns: Count


class RequestMarks(Record, frozen=True, kw_only=True):
    """Marks, and requests that are left out or need a note."""

    marks: Count
    unfinished: Count
    begun_before: Count
    stray_marks: Count
    outside: Count
    overlapping: Count
    unknown_threads: Count


class RequestsResult(Document, frozen=True, kw_only=True, tag="stallscope.requests/1"):
    """Slow requests beside median ones. ``states`` are in order of the latency they explain.

    ``verdict``: sentences. ``latency_ns`` is None without slow and median requests.
    """

    title: str
    requests: Count
    slow_requests: Count
    median_requests: Count
    slow_quantile: Share
    slow_above_ns: Count
    latency_ns: RequestMean | None
    verdict: tuple[str, ...]
    rule: str
    quantiles: tuple[RequestQuantile, ...]
    kinds: tuple[RequestKind, ...]
    states: tuple[RequestState, ...]
    stacks: tuple[RequestStack, ...]
    locks: tuple[RequestLock, ...]
    partners: tuple[RequestPartner, ...]
    activities: tuple[RequestActivity, ...]
    marks: RequestMarks
    warnings: tuple[str, ...]
    recording: str
    report: str | None
