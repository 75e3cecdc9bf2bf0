"""Invented measurements of slots, and programs with an expected answer."""

from harness.labs.kernels.known_kernels import KnownKernel
from topdown.slots.measurement import Kind, MeasuredNode, Measurement

DRAM = "backend_bound/memory_bound/dram"
CORE = "backend_bound/core_bound"
MODELLED_TREE = {
    "retiring": None, "bad_speculation": None, "frontend_bound": None, "backend_bound": None,
    "unexplained": None, "branch_mispredicts": "bad_speculation", "core_dependency": "backend_bound",
    "l1_latency": "backend_bound", "l2_bound": "backend_bound", "dram_bound": "backend_bound",
}  # fmt: skip


def measurement(
    *path: str, kind: Kind = Kind.MODELLED, tree: dict[str, str | None] | None = None, largest: str = ""
) -> Measurement:  # fmt: skip
    """A measurement of a tree, with this path marked and this root the largest."""
    tree = tree or MODELLED_TREE
    nodes = tuple(
        MeasuredNode(name, 2 if parent else 1, parent, 0.9 if name == largest else 0.02, "slots")
        for name, parent in tree.items()
    )
    return Measurement(
        kind=kind, source="the model", cpu="", title="", whole=1.0, nodes=nodes, ipc=None,
        interval_label="", bottleneck=path or None, bottleneck_why="by test",
    )  # fmt: skip


def kernel(name: str = "pointer-chase-dram", expected: str = DRAM, threads: int = 1) -> KnownKernel:
    return KnownKernel(name, expected, threads, held_out=False)
