"""The values of the slot trees on the page."""

from dataclasses import replace
from pathlib import Path

from harness.labs.stages.measurement import SlotTrees
from harness.labs.stages.plan import Side
from harness.labs.stages.result import stages_result
from harness.labs.stages.slot_panel import slot_trees
from tests.harness.labs.stages.measurements import measurement
from tests.harness.topdown.measurements import COUNTED, MODELLED


def test_both_sides_have_a_bar_and_the_kind_is_named(tmp_path: Path) -> None:
    lab = replace(measurement(tmp_path), slots=SlotTrees(dict.fromkeys(Side, MODELLED)))
    panel = slot_trees(stages_result(lab))
    assert panel is not None
    assert panel.kind == "modelled"
    row = next(row for row in panel.rows if row.name == "Memory_Bound")
    assert (row.category, row.depth) == ("backend", 2)
    assert [(cell.text, cell.percent, cell.marked) for cell in row.cells] == [
        ("46.0 %", 46.0, True), ("46.0 %", 46.0, True),
    ]  # fmt: skip
    assert [label for label, _ in panel.facts] == ["source", "IPC", "bottleneck", "caution"]


def test_counted_misses_are_facts_and_missing_slots_are_no_panel(tmp_path: Path) -> None:
    lab = measurement(tmp_path)
    assert slot_trees(stages_result(lab)) is None
    ratios: dict[Side, float | None] = {Side.UNSTAGED: 0.05, Side.STAGED: 0.03}
    counted = SlotTrees(dict.fromkeys(Side, COUNTED), icache_miss_ratio=ratios)
    panel = slot_trees(stages_result(replace(lab, slots=counted)))
    assert panel is not None
    assert ("L1I misses, counted", ["5.0 %", "3.0 %"]) in list(panel.facts)
