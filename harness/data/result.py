"""The result of `stallscope data`: fields that hot loads read, and shared cache lines."""

from typing import Literal

from stallscope.documents import Amount, Count, Document, Integer, Record


class FieldLoads(Record, frozen=True, kw_only=True):
    """A field and the samples whose time was spent in loads of it."""

    type: str
    field: str  # empty: the whole object
    function: str  # the one with most of the samples
    samples: Count
    misses: Count | None  # None without data addresses


class HotLoadsResult(Record, frozen=True, kw_only=True):
    """Samples of user code by what the instruction that took the time reads."""

    source: Literal["modelled"]  # inferred from code and debug information
    samples: Count
    resolved: Count
    unresolved: Count
    undetermined: Count  # a load or another instruction
    other: Count  # not a load
    untyped: Count  # in code without type information
    fields: tuple[FieldLoads, ...]


class LevelAccesses(Record, frozen=True, kw_only=True):
    """The accesses that got their data from one level."""

    level: str
    loads: Count
    stores: Count
    mean_latency: Amount | None  # cycles; None if not recorded


class SharedWord(Record, frozen=True, kw_only=True):
    """The accesses to eight bytes of a line."""

    offset: Count
    loads: Count
    stores: Count
    misses: Count
    modified: Count  # loads of a line that another cache had changed
    threads: tuple[str, ...]
    function: str
    field: str


class CacheLine(Record, frozen=True, kw_only=True):
    """The accesses to a line of 64 bytes."""

    address: Count
    pid: Integer
    accesses: Count
    misses: Count
    modified: Count
    words: tuple[SharedWord, ...]


class FalseSharingPair(Record, frozen=True, kw_only=True):
    """Two words of a line that different threads use, at least one of them writing."""

    address: Count
    pid: Integer
    modified: Count
    first: SharedWord
    second: SharedWord


class NodeAccesses(Record, frozen=True, kw_only=True):
    """Accesses from the CPUs of one node to the memory of another."""

    cpu_node: Integer
    memory_node: Integer
    accesses: Count
    mean_latency: Amount | None


class DataAddresses(Record, frozen=True, kw_only=True):
    """What the recorded addresses of accesses show."""

    source: Literal["measured"]
    accesses: Count
    misses: Count
    levels: tuple[LevelAccesses, ...]
    lines: tuple[CacheLine, ...]
    false_sharing: tuple[FalseSharingPair, ...]
    nodes: tuple[NodeAccesses, ...] | None  # None: the recording does not describe nodes
    unknown_nodes: Count


class DataResult(Document, frozen=True, kw_only=True, tag="stallscope.data/1"):
    """The data that the loads of a recording read."""

    recording: str
    hot_loads: HotLoadsResult
    addresses: DataAddresses | None
    addresses_missing: str | None  # why there are none
    warnings: tuple[str, ...]
