"""The forest plot of a comparison."""

import xml.etree.ElementTree as ET

from harness.bench.plots.forest import ForestRow, forest_picture

ROWS = [
    ForestRow("Encode/8", 0.05, 0.03, 0.07, "worse"),
    ForestRow("Decode $x$", -0.02, None, None, "better"),
    ForestRow("New", None, None, None),
]


def test_every_row_is_named_also_without_a_change() -> None:
    picture = forest_picture(ROWS, "svg", title="head / base", threshold=0.02)
    texts = "".join(ET.fromstring(picture).itertext())
    for text in ("Encode/8", "Decode $x$", "New", "change, %"):
        assert text in texts
    assert picture == forest_picture(ROWS, "svg", title="head / base", threshold=0.02)


def test_many_rows_are_cut_and_counted() -> None:
    rows = [ForestRow(f"row {n}", 0.0, -0.1, 0.1) for n in range(203)]
    assert b"3 more rows are not drawn" in forest_picture(rows, "svg")


def test_no_change_is_not_measured() -> None:
    assert b"not measured" in forest_picture([], "svg")
