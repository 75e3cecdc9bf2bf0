"""The text of a curve for a terminal."""

from dataclasses import replace

import pytest

from harness.io.curve.text import lines
from tests.harness.io.curve.results import result
from tests.ioprobe.server_model import ServerModel


def test_the_table_marks_the_named_depths() -> None:
    text = list(lines(result(slo_p99_ns=8e6), 120))
    assert text[0].startswith("Response curve of /srv/<db>: 4 KiB random reads, modelled")
    (row,) = [line for line in text if line.startswith("12 ")]
    assert row.endswith("latency-optimal, knee")
    assert max(map(len, text)) <= 120
    assert any(line.startswith("clear knee: 12 requests in flight") for line in text)


def test_bars_are_left_out_on_a_narrow_terminal() -> None:
    assert not any("█" in line for line in lines(result(slo_p99_ns=8e6), 90))


def test_a_masked_depth_is_named_with_its_reason() -> None:
    masked = ServerModel(
        8,
        alter=lambda reading: (
            replace(reading, failed=("Little's law",)) if reading.depth == 4 else reading
        ),
    )
    assert "masked at depth 4: Little's law" in "\n".join(lines(result(masked), 100))


def test_a_curve_without_an_accepted_reading_is_printed() -> None:
    masked = ServerModel(8, alter=lambda reading: replace(reading, failed=("a check",)))
    assert "masked" in "\n".join(lines(result(masked), 100))


@pytest.mark.parametrize("width", [70, 80, 100, 200])
def test_rows_fit_the_terminal_with_the_names_of_depths(width: int) -> None:
    text = list(lines(result(), width))
    assert max(map(len, text)) <= width
    assert any("min-max" in line for line in text) == (width == 200)
    assert any(line.endswith("latency-optimal, knee") for line in text)
