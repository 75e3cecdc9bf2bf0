"""The result of `stallscope diagnose`: findings in order of the wall time that they cost."""

from msgspec import field

from stallscope.documents import Amount, Count, Document, Record, Share


class FindingEvidence(Record, frozen=True, kw_only=True):
    """A number that supports a finding, and where it comes from.

    ``unit``: "ns", "us", "share", "threads", "requests", "entries", "faults", "pages", "kHz" or
    "periods". ``low`` and ``high``: the 95 % interval, equal to the value if it is exact; None if
    it is not known.
    """

    name: str
    value: Amount
    unit: str
    source: str
    low: Amount | None = None
    high: Amount | None = None


class FindingPlace(Record, frozen=True, kw_only=True):
    """Where a finding applies.

    ``kind``: "thread", "function", "line", "lock", "disk", "file", "CPU", "cgroup", "process",
    "directory" or "machine".
    """

    kind: str
    name: str


class Finding(Record, frozen=True, kw_only=True):
    """A cause of lost time.

    ``cost_share``: of the wall time of working threads. ``largest_gain``: how many times faster the
    threads that suffer most can become at most; None if no group of threads suffers alone.
    ``confidence``: the share of such findings that was true for programs of known cause, by
    ``rating``, that of the rule and its evidence, and by cost. ``modelled``: it follows from slots
    that a model estimates, not from counters.
    """

    cause: str
    sentence: str
    cost_share: Share
    largest_gain: Amount | None
    confidence: Share
    evidence: tuple[FindingEvidence, ...]
    where: tuple[FindingPlace, ...]
    try_: tuple[str, ...] = field(name="try")
    check: str
    rating: Share | None = None
    modelled: bool = False


class NotJudged(Record, frozen=True, kw_only=True):
    """Causes that the recording cannot show, and how to look for them."""

    causes: tuple[str, ...]
    reason: str
    remedy: str


class HotFunction(Record, frozen=True, kw_only=True):
    """A function and its share of the target's CPU time, without the functions that it calls.

    ``line``: its hottest source line, "path:number"; None without line numbers.
    """

    name: str
    module: str
    self_share: Share
    line: str | None = None


class MeasuredSource(Record, frozen=True, kw_only=True):
    """A source of the diagnosis. ``kind``: "measured", "modelled" or "unavailable"."""

    name: str
    kind: str
    detail: str


class CpuUser(Record, frozen=True, kw_only=True):
    """What ran on a CPU while threads of the target were queued for it.

    ``kind``: "target", "process", "kernel thread", "recorder", "idle" or "unknown". ``share``: of
    the wall time of working threads that they were queued behind it.
    """

    kind: str
    name: str
    share: Share


class DiagnoseResult(Document, frozen=True, kw_only=True, tag="stallscope.diagnose/1"):
    """What limits a target.

    ``working_ns``: wall time of all threads that are not idle. ``overhead_share``: CPU time of the
    recorder per CPU time of the target; None for a recording that is shown again.
    """

    title: str
    verdict: str
    wall_ns: Count
    working_ns: Count
    running_share: Share | None  # of working_ns; None without a working thread
    findings: tuple[Finding, ...]
    functions: tuple[HotFunction, ...]
    not_judged: tuple[NotJudged, ...]
    overhead_share: Amount | None
    warnings: tuple[str, ...]
    recording: str
    report: str | None
    sources: tuple[MeasuredSource, ...] = ()
    cpu_users: tuple[CpuUser, ...] = ()
