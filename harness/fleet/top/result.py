"""The result of `stallscope fleet top`."""

from stallscope.documents import Count, Document, Record, Share


class FleetFunction(Record, frozen=True, kw_only=True):
    """A function of all hosts. Shares are of the weight of all recordings.

    ``hosts``: how many have it. ``hottest_host``: the host in whose own weight it has the largest
    share, ``hottest_share``.
    """

    name: str
    module: str
    self_share: Share
    total_share: Share
    hosts: Count
    hottest_host: str
    hottest_share: Share


class FailedRecording(Record, frozen=True, kw_only=True):
    """A recording that is left out, and why."""

    host: str
    reason: str


class FleetTopResult(Document, frozen=True, kw_only=True, tag="stallscope.fleet.top/1"):
    """The hottest functions of recordings; ``unit`` is that of their weights."""

    hosts: Count
    samples: Count
    value: Count
    unit: str
    functions: tuple[FleetFunction, ...]
    functions_in_all: Count
    failed: tuple[FailedRecording, ...]
