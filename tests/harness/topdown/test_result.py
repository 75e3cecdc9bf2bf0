"""The JSON document and the CSV table of a measurement of slots."""

from dataclasses import replace

import pytest

from harness.topdown.result import TopdownResult, topdown_result
from stallscope.documents import decode, encode
from tests.harness.topdown.decoded import parsed, rows
from tests.harness.topdown.measurements import COUNTED, MISSING, MODELLED, SLICED, UNAVAILABLE
from topdown.slots.measurement import COUNTS, MeasuredNode, Measurement


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
