"""The result of `stallscope fleet slots`: shares of pipeline slots by type of CPU."""

from harness.fleet.result import MissingPart
from stallscope.documents import Amount, Count, Document, Record, Share


class FleetSlotNode(Record, frozen=True, kw_only=True):
    """A node of the top-down tree; shares of all slots."""

    node: str
    hosts: Count
    recordings: Count
    share: Share | None  # mean weighted by cycles; None if no recording counted cycles
    lowest: Share  # of one recording
    lowest_host: str
    highest: Share
    highest_host: str


class FleetSlotCpu(Record, frozen=True, kw_only=True):
    """The recordings of one type of CPU and one kind of tree; other types are not comparable."""

    cpu: str
    kind: str
    hosts: Count
    recordings: Count
    cycles: Amount  # of the recordings that counted them
    recordings_without_cycles: Count  # not in the weighted means
    nodes: tuple[FleetSlotNode, ...]  # largest share first


class FleetSlotsResult(Document, frozen=True, kw_only=True, tag="stallscope.fleet.slots/1"):
    """Shares of pipeline slots; the type of CPU with most recordings is first."""

    directories: tuple[str, ...]
    hosts: Count
    recordings: Count
    cpus: tuple[FleetSlotCpu, ...]
    missing: tuple[MissingPart, ...] = ()
