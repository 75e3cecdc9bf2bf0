"""The sentence on instructions per cycle."""

import pytest

from harness.labs.stages.ipc import ipc_meaning


@pytest.mark.parametrize(
    ("unstaged", "staged", "finding"),
    [
        (0.81, 1.31, "mostly waits without stages and mostly executes with them"),
        (0.4, 0.5, "mostly waits, with and without"),
        (2.3, 2.2, "mostly executes, with and without"),
        (1.2, 0.9, "mostly executes without stages and mostly waits with them"),
    ],
)
def test_the_sentence_names_threshold_source_and_both_values(
    unstaged: float, staged: float, finding: str
) -> None:
    text = ipc_meaning(unstaged, staged) or ""
    assert finding in text
    assert "below 1.0" in text
    assert "Gregg" in text
    assert f"{unstaged:.2f} unstaged and {staged:.2f} staged" in text


def test_without_a_value_there_is_no_sentence() -> None:
    assert ipc_meaning(None, 1.0) is None
    assert ipc_meaning(1.0, None) is None
