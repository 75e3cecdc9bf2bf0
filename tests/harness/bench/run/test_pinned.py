"""The command line that runs again under a pin."""

from harness.bench.run.pinned import without_pin


def test_only_the_own_option_is_removed() -> None:
    words = ["bench", "run", "--pin", "bench", "-n", "3", "--pin=bench", "--", "x", "--pin", "y"]
    assert without_pin(words) == ["bench", "run", "-n", "3", "--", "x", "--pin", "y"]
