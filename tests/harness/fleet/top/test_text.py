"""The hottest functions of a fleet for a terminal."""

from harness.fleet.top.result import FailedRecording, FleetFunction, FleetTopResult
from harness.fleet.top.text import lines


def test_long_names_are_shortened_and_left_out_recordings_named() -> None:
    function = FleetFunction(
        name="f" * 200, module="/lib/x.so", self_share=0.5, total_share=1.0, hosts=2,
        hottest_host="a", hottest_share=0.75,
    )  # fmt: skip
    result = FleetTopResult(
        hosts=2, samples=10, value=10, unit="ns", functions=(function,), functions_in_all=3,
        failed=(FailedRecording(host="c", reason="damaged"),),
    )  # fmt: skip
    text = list(lines(result, 100))
    assert max(map(len, text)) < 140
    assert "x.so" in text[3]
    assert text[-2:] == ["and 2 more", "left out: c: damaged"]
