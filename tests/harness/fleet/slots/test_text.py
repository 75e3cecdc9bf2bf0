"""`harness.fleet.slots.text`."""

from harness.fleet.slots.result import FleetSlotCpu, FleetSlotNode, FleetSlotsResult
from harness.fleet.slots.text import lines


def test_a_share_without_weights_is_not_available() -> None:
    node = FleetSlotNode(
        node="retiring",
        hosts=1,
        recordings=1,
        share=None,
        lowest=0.25,
        lowest_host="a\x1b",
        highest=0.25,
        highest_host="a\x1b",
    )
    cpu = FleetSlotCpu(
        cpu="zen4",
        kind="topdown",
        hosts=1,
        recordings=1,
        cycles=0.0,
        recordings_without_cycles=1,
        nodes=(node,),
    )
    result = FleetSlotsResult(directories=("monday",), hosts=1, recordings=1, cpus=(cpu,))
    text = "\n".join(lines(result, 100))
    assert "n/a" in text
    assert "25.0 %" in text
    assert "\x1b" not in text
