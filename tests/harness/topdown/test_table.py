"""The CSV table of a measurement."""

from harness.topdown.table import COLUMNS
from tests.harness.topdown.decoded import parsed, rows
from tests.harness.topdown.measurements import COUNTED, MISSING, SLICED


def test_intervals_are_in_document_and_table() -> None:
    result = parsed(SLICED)["intervals"]
    assert len(result) == 20
    assert (result[1]["start_s"], result[1]["end_s"]) == (0.1, 0.2)
    assert result[0]["nodes"]["Backend_Bound"]["value"] == 0.6
    cells = rows(SLICED)
    assert len(cells) == 20 * 5  # IPC and four nodes
    assert cells[0] == {
        **dict.fromkeys(COLUMNS, ""),
        "start_s": "0.000000",
        "end_s": "0.100000",
        "cpu": "skl",
        "node": "IPC",
        "value": "0.8",
        "unit": "instructions per cycle",
        "kind": "measured",
    }
    [gap] = [row for row in cells if row["kind"] == "unavailable"]
    assert (gap["value"], gap["warnings"], gap["end_s"]) == ("", MISSING, "0.200000")


def test_the_table_without_intervals_has_a_line_a_node() -> None:
    cells = rows(COUNTED)
    assert len(cells) == 1 + len(COUNTED.nodes)
    row = next(row for row in cells if row["node"] == "L3_Bound")
    assert (row["low"], row["high"], row["start_s"]) == ("0.28", "0.33999999999999997", "")
