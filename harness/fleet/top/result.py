"""The result of `stallscope fleet top`: the hottest functions of many hosts."""

from harness.fleet.result import MissingPart
from stallscope.documents import Count, Document, Record, Share


class FleetFunction(Record, frozen=True, kw_only=True):
    """A function; values are sums over all hosts in the unit of the result.

    ``total_value`` includes the functions that it calls, once per stack.
    """

    name: str
    module: str
    self_value: Count
    total_value: Count
    self_samples: Count
    self_share: Share
    total_share: Share
    hosts: Count  # that have it in a stack


class OtherEvent(Record, frozen=True, kw_only=True):
    """An event whose values cannot be added to those of the shown event."""

    event: str
    recordings: Count


class FleetTopResult(Document, frozen=True, kw_only=True, tag="stallscope.fleet.top/1"):
    """The functions with most self time, of the recordings of one event."""

    directories: tuple[str, ...]
    hosts: Count
    recordings: Count
    event: str
    unit: str
    samples: Count
    value: Count
    functions: tuple[FleetFunction, ...]
    functions_total: Count  # with those that are not listed
    other_events: tuple[OtherEvent, ...] = ()
    missing: tuple[MissingPart, ...] = ()
    warnings: tuple[str, ...] = ()  # debug files that were not downloaded
