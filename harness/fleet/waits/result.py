"""The result of `stallscope fleet waits`: wall time by group of threads and state."""

from harness.fleet.result import MissingPart
from stallscope.documents import Count, Document, Record, Share


class FleetWaitState(Record, frozen=True, kw_only=True):
    """A state of a group: the sum over hosts, and its share of the group's time."""

    state: str
    time_ns: Count
    share: Share


class FleetWaitGroup(Record, frozen=True, kw_only=True):
    """A group of threads with one name; times are sums over hosts, threads and recordings."""

    process: str
    group: str
    hosts: Count
    threads: Count  # sum over recordings
    time_ns: Count
    states: tuple[FleetWaitState, ...]  # longest first


class FleetWaitsResult(Document, frozen=True, kw_only=True, tag="stallscope.fleet.waits/1"):
    """The groups of threads with most time in a state, or in all states."""

    directories: tuple[str, ...]
    hosts: Count
    recordings: Count
    time_ns: Count
    state: str  # the state that ranks the groups; empty: all states
    groups: tuple[FleetWaitGroup, ...]
    groups_total: Count  # with those that are not listed
    missing: tuple[MissingPart, ...] = ()
