"""The slot trees of both sides on the page: one table with a bar for each side."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.labs.stages.plan import Side
from harness.labs.stages.result import StagesResult
from harness.labs.stages.slot_rows import SlotRow, marked_text, slot_rows
from harness.labs.stages.text import counted_miss_texts, ipc_texts
from harness.topdown.categories import category

_MAX_DEPTH_CLASS = 6


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    percent: float  # length of the bar
    marked: bool


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    depth: int
    category: str
    cells: Sequence[_Cell]


@dataclass(frozen=True, slots=True)
class SlotPanel:
    """The values of the panel; ``facts`` are labels with a text for each side."""

    kind: str
    columns: Sequence[str]
    facts: Sequence[tuple[str, Sequence[str]]]
    rows: Sequence[_Row]
    meaning: str


def slot_trees(result: StagesResult) -> SlotPanel | None:
    """Return the values of the panel, None without slots."""
    trees = result.slot_trees
    if not trees:
        return None
    facts = [
        ("source", [tree.source for tree in trees]),
        ("IPC", ipc_texts(result)),
        ("L1I misses, counted", counted_miss_texts(result)),
        ("bottleneck", [marked_text(tree) for tree in trees]),
        ("caution", ["; ".join(tree.warnings) for tree in trees]),
    ]
    return SlotPanel(
        kind=trees[0].kind,
        columns=[str(side) for side in Side],
        facts=[(label, texts) for label, texts in facts if any(texts)],
        rows=[_row(row) for row in slot_rows(result)],
        meaning=result.ipc_meaning or "",
    )


def _row(row: SlotRow) -> _Row:
    cells = [
        _Cell(side.text, 100 * min(1.0, max(0.0, side.share or 0.0)), side.marked)
        for side in row.sides
    ]
    return _Row(row.name, min(row.level, _MAX_DEPTH_CLASS), category(row.root).key, cells)
