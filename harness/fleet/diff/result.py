"""The result of `stallscope fleet diff`: change of the functions' shares of self time."""

from harness.fleet.result import MissingPart
from stallscope.documents import Count, Document, Number, Record, Share


class FleetFunctionChange(Record, frozen=True, kw_only=True):
    """A function; shares are of the sum over all hosts.

    Hosts in both sets are compared one by one: in ``hosts_higher`` of them the share rose, in
    ``hosts_lower`` it fell. No verdict is derived: recordings differ in load too.
    """

    name: str
    module: str
    share_before: Share
    share_after: Share
    change: Number  # after minus before
    hosts_higher: Count
    hosts_lower: Count


class FleetSet(Record, frozen=True, kw_only=True):
    """One of the two sets; the value is in the unit of the result."""

    directory: str
    hosts: Count
    recordings: Count
    samples: Count
    value: Count
    recordings_of_other_events: Count
    missing: tuple[MissingPart, ...] = ()
    warnings: tuple[str, ...] = ()  # debug files that were not downloaded


class FleetDiffResult(Document, frozen=True, kw_only=True, tag="stallscope.fleet.diff/1"):
    """The functions with the largest change of their share of self time."""

    before: FleetSet
    after: FleetSet
    event: str
    unit: str
    hosts_in_both: Count
    functions: tuple[FleetFunctionChange, ...]
    functions_total: Count  # with those that are not listed
