"""Nodes of the wait-for graph that are not threads."""

from enum import IntEnum


class PseudoNode(IntEnum):
    """A node of the graph that is not a thread; its number follows those of the threads."""

    DISK = 0
    NETWORK = 1
    TIMER = 2
    INTERRUPT = 3
    UNKNOWN = 4
    LOOPBACK = 5  # a packet of this machine whose sender is not known


NODE_NAMES = {node: node.name.lower() for node in PseudoNode} | {
    PseudoNode.LOOPBACK: "sender unknown"
}
