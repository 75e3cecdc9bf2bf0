"""A result of the stages lab on the terminal."""

import re
from dataclasses import replace
from pathlib import Path

from harness.labs.stages.measurement import SlotTrees, StagesMeasurement
from harness.labs.stages.plan import SATURATED, Side
from harness.labs.stages.result import stages_result
from harness.labs.stages.text import lines
from tests.harness.labs.stages.measurements import measurement
from tests.harness.topdown.measurements import COUNTED, MODELLED


def text_of(lab: StagesMeasurement) -> str:
    return "\n".join(lines(stages_result(lab), 100))


def test_the_table_names_every_load_and_the_verdict(tmp_path: Path) -> None:
    text = text_of(measurement(tmp_path))
    for part in ("saturated", "open loop at 30 %", "1.500 (1.400 to 1.700) n=5",
                 "simulated (modelled)", "11.6 % of fetches", "synthetic", "verdict: gain",
                 "Slots and IPC: unavailable"):  # fmt: skip
        assert part in text


def test_loads_that_were_not_reached_are_left_out(tmp_path: Path) -> None:
    lab = measurement(tmp_path)
    reached = tuple(reading for reading in lab.readings if reading.run.load == SATURATED)
    text = text_of(replace(lab, readings=reached, interrupted=True))
    assert "saturated" in text
    assert "open loop at" not in text


def test_slots_of_both_sides_stand_side_by_side_down_to_the_marked_leaf(tmp_path: Path) -> None:
    nodes = tuple(replace(node, value=None) for node in COUNTED.nodes)
    unknown = replace(COUNTED, nodes=nodes, ipc=None, bottleneck=None, bottleneck_why="no counts")
    sides = {Side.UNSTAGED: COUNTED, Side.STAGED: unknown}
    ratios: dict[Side, float | None] = {Side.UNSTAGED: 0.0539, Side.STAGED: None}
    slots = SlotTrees(sides, icache_miss_ratio=ratios)
    text = text_of(replace(measurement(tmp_path), slots=slots))
    assert "CPU slots (measured)" in text
    assert re.search(r"IPC +0\.79 +n/a", text)
    assert re.search(r"L1I misses +5\.4 % +n/a", text)
    assert re.search(r"\n  Frontend_Bound +12\.8 % +n/a", text)
    assert re.search(r"\n      L3_Bound +31\.0 % <== +n/a", text)
    assert "bottleneck unstaged: Backend_Bound > Memory_Bound > L3_Bound" in text
    assert "bottleneck staged: none: no counts" in text


def test_modelled_slots_are_labelled(tmp_path: Path) -> None:
    slots = SlotTrees(dict.fromkeys(Side, MODELLED))
    text = text_of(replace(measurement(tmp_path), slots=slots))
    assert "CPU slots (modelled): a replay in the logged batches" in text
    assert "rule of thumb" in text
