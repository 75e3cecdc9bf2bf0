"""The JSON document and the CSV table of a measurement of slots."""

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest

from harness.topdown.result import TopdownResult, topdown_result
from harness.topdown.table import COLUMNS, table
from stallscope.documents import decode, encode
from tests.harness.topdown.measurements import COUNTED, MISSING, MODELLED, SLICED, UNAVAILABLE
from topdown.slots.measurement import COUNTS, MeasuredNode, Measurement


def parsed(measurement: Measurement, level: int | None = None) -> Any:
    return json.loads(encode(topdown_result(measurement).to_level(level)))


def rows(measurement: Measurement, level: int | None = None) -> list[dict[str, str]]:
    return list(
        csv.DictReader(io.StringIO("".join(table(topdown_result(measurement).to_level(level)))))
    )


def test_the_document_contains_its_public_fields() -> None:
    result = parsed(COUNTED)
    assert result["schema"] == "stallscope.topdown/1"
    assert (result["cpu"], result["kind"]) == ("skl", "measured")
    assert result["source"] == COUNTED.source
    assert result["ipc"]["value"] == 0.79
    assert result["ipc"]["interval"] == {"low": 0.78, "high": 0.8}
    assert result["bottleneck"] == ["Backend_Bound", "Memory_Bound", "L3_Bound"]
    assert result["warnings"] == ["the NMI watchdog holds a counter"]
    assert result["interval_label"] == "multiplexing error only"
    assert result["verified"] is False
    node = result["nodes"]["Memory_Bound"]
    assert (node["value"], node["level"], node["parent"]) == (0.46, 2, "Backend_Bound")
    assert node["above_threshold"] is True
    assert node["interval"] == {"low": 0.46 - 0.02, "high": 0.46 + 0.02}


@pytest.mark.parametrize("measurement", [COUNTED, MODELLED, SLICED, UNAVAILABLE])
def test_a_decoded_result_equals_the_encoded_result(measurement: Measurement) -> None:
    result = topdown_result(measurement)
    assert decode(encode(result), TopdownResult, "result") == result


def test_missing_values_are_null_with_a_reason() -> None:
    node = parsed(COUNTED)["nodes"]["DRAM_Bound"]
    assert node["value"] is None
    assert node["interval"] is None
    assert (node["kind"], node["warnings"]) == ("unavailable", [MISSING])
    assert {item["kind"] for item in parsed(MODELLED)["nodes"].values()} == {
        "modelled",
        "unavailable",
    }
    result = parsed(UNAVAILABLE)
    assert (result["kind"], result["ipc"], result["nodes"], result["bottleneck"]) == (
        "unavailable",
        None,
        {},
        None,
    )


def test_a_level_excludes_deeper_nodes() -> None:
    assert set(parsed(COUNTED, 1)["nodes"]) == {
        "Frontend_Bound",
        "Bad_Speculation",
        "Backend_Bound",
        "Retiring",
    }
    assert {row["node"] for row in rows(COUNTED, 1)} == {"IPC", *parsed(COUNTED, 1)["nodes"]}


def test_requested_events_are_printed_at_every_level() -> None:
    options = MeasuredNode("page-faults", None, None, 320.0, COUNTS)
    result = replace(COUNTED, nodes=(*COUNTED.nodes, options))
    assert parsed(result, 1)["nodes"]["page-faults"]["value"] == 320
    assert [row["value"] for row in rows(result, 1) if row["node"] == "page-faults"] == ["320.0"]


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
