"""`harness.fleet.waits.text`."""

from harness.fleet.waits.result import FleetWaitGroup, FleetWaitsResult, FleetWaitState
from harness.fleet.waits.text import lines


def test_control_characters_of_names_are_visible() -> None:
    state = FleetWaitState(state="disk", time_ns=1_000_000_000, share=1.0)
    group = FleetWaitGroup(
        process="web\x1b", group="io", hosts=1, threads=2, time_ns=1_000_000_000, states=(state,)
    )
    result = FleetWaitsResult(
        directories=("monday",),
        hosts=1,
        recordings=1,
        time_ns=1_000_000_000,
        state="",
        groups=(group,),
        groups_total=1,
    )
    text = "\n".join(lines(result, 100))
    assert "\x1b" not in text
    assert "disk 100.0 %" in text
