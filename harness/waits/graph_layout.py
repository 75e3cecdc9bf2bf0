"""Places of the nodes of a wait-for graph: waiting groups on the left, causes on the right."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.waits.result import GraphEdge

MAX_NODES = 16
MAX_EDGES = 40
MAX_COLUMNS = 6
BOX_WIDTH, BOX_HEIGHT = 148, 38
COLUMN_WIDTH, ROW_HEIGHT = 240, 66
MARGIN = 14
WIDEST_EDGE = 9.0


@dataclass(frozen=True, slots=True)
class NodeBox:
    """A node: the left and the top of its box."""

    name: str
    left: float
    top: float
    knot: bool


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge: its curve as an SVG path, its width, and the place of its text."""

    edge: GraphEdge
    path: str
    width: float
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class GraphPicture:
    """Boxes and arrows; ``left_out``: number of edges that are not drawn."""

    boxes: tuple[NodeBox, ...]
    arrows: tuple[Arrow, ...]
    width: float
    height: float
    left_out: int


def graph_picture(edges: Sequence[GraphEdge], knots: Sequence[Sequence[str]]) -> GraphPicture:
    """Return the picture of the heaviest edges."""
    drawn = _heaviest(edges)
    column = _columns(drawn)
    in_knot = {name for knot in knots for name in knot}
    rows: dict[int, int] = {}
    boxes = {}
    for name, number in column.items():
        row = rows.get(number, 0)
        rows[number] = row + 1
        left, top = MARGIN + number * COLUMN_WIDTH, MARGIN + row * ROW_HEIGHT
        boxes[name] = NodeBox(name, left, top, name in in_knot)
    heaviest = max((edge.wait_ns for edge in drawn), default=1)
    arrows = [_arrow(edge, boxes[edge.waiter], boxes[edge.cause], heaviest) for edge in drawn]
    return GraphPicture(
        boxes=tuple(boxes.values()),
        arrows=tuple(arrows),
        width=2 * MARGIN + BOX_WIDTH + COLUMN_WIDTH * max(column.values(), default=0),
        height=2 * MARGIN + ROW_HEIGHT * max(rows.values(), default=1),
        left_out=len(edges) - len(drawn),
    )


def _heaviest(edges: Sequence[GraphEdge]) -> list[GraphEdge]:
    """Return the heaviest edges between at most MAX_NODES nodes."""
    chosen: list[GraphEdge] = []
    nodes: set[str] = set()
    for edge in sorted(edges, key=lambda edge: -edge.wait_ns):
        both = nodes | {edge.waiter, edge.cause}
        if len(both) <= MAX_NODES and len(chosen) < MAX_EDGES:
            nodes = both
            chosen.append(edge)
    return chosen


def _columns(edges: Sequence[GraphEdge]) -> dict[str, int]:
    """Return the column of each node: right of all that wait for it, heavy edges first."""
    column: dict[str, int] = {}
    causes: dict[str, list[str]] = {}
    for edge in edges:
        for name in (edge.waiter, edge.cause):
            column.setdefault(name, 0)
        if not _reaches(causes, edge.cause, edge.waiter):
            causes.setdefault(edge.waiter, []).append(edge.cause)
    for _ in column:
        for waiter, awaited in causes.items():
            for cause in awaited:
                column[cause] = min(max(column[cause], column[waiter] + 1), MAX_COLUMNS - 1)
    return column


def _reaches(causes: dict[str, list[str]], start: str, end: str) -> bool:
    open_nodes, seen = [start], {start}
    while open_nodes:
        node = open_nodes.pop()
        if node == end:
            return True
        following = [name for name in causes.get(node, ()) if name not in seen]
        seen.update(following)
        open_nodes += following
    return False


def _arrow(edge: GraphEdge, waiter: NodeBox, cause: NodeBox, heaviest: int) -> Arrow:
    width = max(1.0, WIDEST_EDGE * edge.wait_ns / heaviest)
    forward = waiter.left < cause.left
    begin = waiter.left + (BOX_WIDTH if forward else 0)
    end = cause.left - 6 if forward else cause.left + BOX_WIDTH + 6
    # Edges back to the left are drawn lower, so that a pair of edges does not overlap.
    shift = BOX_HEIGHT * (0.35 if forward else 0.8)
    first, last = waiter.top + shift, cause.top + shift
    if waiter.left == cause.left:
        begin, end = waiter.left, cause.left - 6
        bend = waiter.left - 40
    else:
        bend = (begin + end) / 2
    path = (
        f"M{begin:.0f} {first:.0f} "
        f"C{bend:.0f} {first:.0f} {bend:.0f} {last:.0f} {end:.0f} {last:.0f}"
    )
    text_shift = -3 - width / 2 if forward else 13 + width / 2
    return Arrow(edge, path, width, (begin + end) / 2, (first + last) / 2 + text_shift)
