"""The rows of both slot trees."""

from dataclasses import replace
from pathlib import Path

from harness.labs.stages.measurement import SlotTrees, StagesMeasurement
from harness.labs.stages.plan import Side
from harness.labs.stages.result import stages_result
from harness.labs.stages.slot_rows import slot_rows
from tests.harness.labs.stages.measurements import measurement
from tests.harness.topdown.measurements import COUNTED


def test_a_node_that_one_side_shows_is_in_both_columns(tmp_path: Path) -> None:
    flat = replace(
        COUNTED,
        nodes=tuple(replace(node, above_threshold=False) for node in COUNTED.nodes),
        bottleneck=("Retiring",),
    )
    slots = SlotTrees({Side.UNSTAGED: COUNTED, Side.STAGED: flat})
    rows = {row.name: row for row in slot_rows(stages_result(_with(tmp_path, slots)))}
    unstaged, staged = rows["L3_Bound"].sides
    assert (unstaged.share, unstaged.marked) == (0.31, True)
    assert (staged.text, staged.marked) == ("31.0 %", False)
    assert (rows["L3_Bound"].root, rows["L3_Bound"].level) == ("Backend_Bound", 3)
    assert rows["Retiring"].sides[1].marked
    assert rows["DRAM_Bound"].sides[0].share is None


def test_without_slots_there_are_no_rows(tmp_path: Path) -> None:
    assert slot_rows(stages_result(measurement(tmp_path))) == []


def _with(folder: Path, slots: SlotTrees) -> StagesMeasurement:
    return replace(measurement(folder), slots=slots)
