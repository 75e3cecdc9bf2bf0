from pathlib import Path

from harness.waits.binned import BinnedValues
from harness.waits.cells import Cells, NumberCell
from harness.waits.page import render_waits_page
from stallscope.recordings import Recording
from tests.harness.waits.waits_results import waits_result

MS = 1_000_000


def test_without_values_by_time_a_cell_has_no_series() -> None:
    cells = Cells(None)
    assert cells.time(2 * MS, ("a",)) == NumberCell("2.00 ms", "time", -1)
    assert cells.share(0, 5, ("a",), ("b",)).text == ""


def test_a_cell_has_the_series_of_its_value_and_of_the_whole() -> None:
    cells = Cells(BinnedValues(2, 1.0, {("time", "a"): {1: 5000}, ("count", "a"): {0: 3}}))
    share = cells.share(1, 4, ("a",), ("b",))
    assert (share.text, share.kind, share.series, share.of) == ("25.0 %", "share", 0, 1)
    assert cells.count(3, ("a",)).series == 2
    assert cells.binned is not None
    assert cells.binned.payload()["series"] == [[1, 5], [], [0, 3]]


def test_a_page_without_values_by_time_has_no_script() -> None:
    recording = Recording(Path("run"), Path("run/samples.perf"), None)
    assert "data-time" not in render_waits_page(waits_result(), recording)
    text = render_waits_page(waits_result(), recording, BinnedValues(2, 1.0))
    assert "data-time" in text
