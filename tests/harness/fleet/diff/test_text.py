"""`harness.fleet.diff.text`."""

from harness.fleet.diff.result import FleetDiffResult, FleetFunctionChange, FleetSet
from harness.fleet.diff.text import lines


def test_a_change_has_a_sign_and_names_are_printable() -> None:
    side = FleetSet(
        directory="monday",
        hosts=1,
        recordings=1,
        samples=1,
        value=1,
        recordings_of_other_events=2,
    )
    function = FleetFunctionChange(
        name="f\x1b",
        module="bin",
        share_before=0.25,
        share_after=0.75,
        change=0.5,
        hosts_higher=1,
        hosts_lower=0,
    )
    result = FleetDiffResult(
        before=side,
        after=side,
        event="cycles",
        unit="count",
        hosts_in_both=1,
        functions=(function,),
        functions_total=3,
    )
    text = "\n".join(lines(result, 100))
    assert "+50.0" in text
    assert "\x1b" not in text
    assert "2 more functions" in text
    assert "2 recordings of other events in monday" in text
