"""Pipeline slots as the rules of findings read them: the names of all vendors, shares of 0..1."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.topdown.result import NodeRecord, SlotInterval, TopdownResult

# Nodes by the word that rules use; names as vendors and the model spell them, in lower case.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "front end": ("frontend_bound",),
    "fetch latency": ("fetch_latency", "frontend_bound_latency", "frontend_bound_by_latency"),
    "instruction cache": ("icache_misses", "frontend_mem_cache_bound"),
    "instruction TLB": ("itlb_misses", "frontend_mem_tlb_bound"),
    "resteers": ("branch_resteers",),
    "bad speculation": ("bad_speculation",),
    "mispredictions": (
        "branch_mispredicts",
        "bad_speculation_mispredicts",
        "bad_speculation_from_mispredicts",
    ),
    "back end": ("backend_bound",),
    "memory": (
        "memory_bound",
        "backend_bound_memory",
        "backend_bound_by_memory",
        "backend_mem_bound",
    ),
    "core": ("core_bound", "backend_bound_cpu", "backend_bound_by_cpu", "backend_core_bound"),
    "level 1 cache": ("l1_bound", "l1_latency"),
    "level 2 cache": ("l2_bound",),
    "level 3 cache": ("l3_bound",),
    "DRAM": ("dram_bound", "l3_miss_bound"),
    "stores": ("store_bound", "backend_mem_store_bound"),
    "DRAM bandwidth": ("mem_bandwidth", "dram_bandwidth"),
    "DRAM latency": ("mem_latency", "dram_latency"),
    "contested lines": ("contested_accesses",),
    "false sharing": ("false_sharing",),
    "remote memory": ("remote_mem",),
    "remote cache": ("remote_cache",),
    "divider": ("divider",),
    "execution ports": ("ports_utilization", "execution_units"),
    "dependencies": ("core_dependency",),
    "unexplained": ("unexplained",),
    "not modelled": ("not_modelled",),
}
# Parts of the back end in the modelled tree, which has no nodes for memory and core.
_MODELLED_MEMORY = ("l1_latency", "l2_bound", "l3_bound", "dram_bound", "dram_bandwidth")
_MODELLED_CORE = ("divider", "execution_units", "core_dependency")
CYCLES = ("cycles", "clocks", "stalls")


def node_names() -> frozenset[str]:
    """Return the names of all nodes that rules read, in lower case."""
    return frozenset(name for names in _NAMES.values() for name in names)


@dataclass(frozen=True, slots=True)
class SlotNode:
    """A node: its value and interval as shares of slots or cycles, and its vendor's name.

    ``above``: whether it is above its vendor's threshold; None if none is published.
    """

    name: str
    share: float
    low: float | None
    high: float | None
    unit: str
    above: bool | None


@dataclass(frozen=True, slots=True)
class SlotFacts:
    """The tree of a measurement. ``kind``: "measured" or "modelled"."""

    kind: str
    source: str
    cpu: str
    nodes: Mapping[str, SlotNode] = field(default_factory=dict)  # by the words of rules
    marked: frozenset[str] | None = None  # the words that the model's verdict allows; None: all

    @classmethod
    def of(cls, result: TopdownResult | None) -> "SlotFacts | None":
        """Return the facts of a tree of slots; None if it was not measured."""
        if result is None or result.kind == "unavailable":
            return None
        records = {name.lower(): record for name, record in result.nodes.items()}
        spellings = {name.lower(): name for name in result.nodes}
        nodes: dict[str, SlotNode] = {}
        for word, names in _NAMES.items():
            for name in names:
                record = records.get(name)
                if record is not None and record.possible is not None:
                    nodes[word] = _slot(spellings[name], record, result.whole)
                    break
        marked = None
        if result.kind == "modelled":
            marked = _marked(result.bottleneck or ())
            nodes.setdefault("memory", _sum("memory", _MODELLED_MEMORY, records, result.whole))
            nodes.setdefault("core", _sum("core", _MODELLED_CORE, records, result.whole))
        return cls(result.kind, result.source, result.cpu, nodes, marked)

    def share(self, word: str) -> float:
        """Return a node's share, 0 if the tree does not have it."""
        slot = self.nodes.get(word)
        return 0.0 if slot is None else max(0.0, min(1.0, slot.share))

    def has(self, *words: str) -> bool:
        """Return whether the tree has a value for all of these nodes."""
        return all(word in self.nodes for word in words)


def _marked(path: tuple[str, ...]) -> frozenset[str]:
    """Return the words of the nodes on the path that the model marks.

    The model knows its error better than a threshold does: it marks nothing if runs differ too
    much, or if most of the time was in the kernel or off the CPU.
    """
    names = {name.lower() for name in path}
    words = {word for word, spellings in _NAMES.items() if names & set(spellings)}
    if names & set(_MODELLED_MEMORY):
        words.add("memory")
    if names & set(_MODELLED_CORE):
        words.add("core")
    return frozenset(words)


def _slot(name: str, record: NodeRecord, whole: float) -> SlotNode:
    scale = 100.0 if record.unit.startswith("percent") else whole
    interval = record.interval
    assert record.possible is not None
    return SlotNode(
        name=name,
        share=record.possible / scale,
        low=_end(interval, scale, low=True),
        high=_end(interval, scale, low=False),
        unit="cycles" if record.unit.lower().startswith(CYCLES) else "slots",
        above=record.above_threshold,
    )


def _end(interval: SlotInterval | None, scale: float, *, low: bool) -> float | None:
    if interval is None:
        return None
    return max(0.0, (interval.low if low else interval.high) / scale)


def _sum(
    name: str, parts: tuple[str, ...], records: Mapping[str, NodeRecord], whole: float
) -> SlotNode:
    """Return the sum of nodes of the modelled tree."""
    chosen = [records[part] for part in parts if part in records]
    values = [record.possible or 0.0 for record in chosen]
    lows = [record.interval.low for record in chosen if record.interval is not None]
    highs = [record.interval.high for record in chosen if record.interval is not None]
    whole_interval = len(lows) == len(chosen) and bool(chosen)
    return SlotNode(
        name=name,
        share=sum(values) / whole,
        low=sum(lows) / whole if whole_interval else None,
        high=sum(highs) / whole if whole_interval else None,
        unit="slots",
        above=None,
    )
