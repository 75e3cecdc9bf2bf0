"""The result of the memory lab."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

from harness.labs.memory.measurement import MemoryMeasurement
from harness.labs.memory.plan import LabSection
from harness.labs.memory.result import MemoryResult, memory_result
from stallscope.documents import decode, encode
from tests.harness.labs.memory.measurements import GIB, KIB, MIB, measurement, without
from tests.harness.labs.stages.measurements import SETTINGS


def document(lab: MemoryMeasurement) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(encode(memory_result(lab, "CPU")))
    return parsed


def test_decoding_the_encoded_result_returns_it() -> None:
    for lab in (replace(measurement(counted=True), settings=SETTINGS), without(measurement())):
        result = memory_result(lab, "CPU")
        assert decode(encode(result), MemoryResult, "memory.json") == result


def test_machine_settings_are_in_the_document() -> None:
    assert document(measurement())["settings"] is None
    settings = document(replace(measurement(), settings=SETTINGS))["settings"]
    assert settings["states"][1]["entries"] == 9


def test_an_empty_measurement_has_no_detected_level() -> None:
    assert document(without(measurement(), *LabSection))["levels"][0]["detected"] is None


def test_the_document_keeps_the_names_that_scripts_use() -> None:
    written = document(measurement(counted=True))
    assert written["schema"] == "stallscope.lab.memory/1"
    assert [row["name"] for row in written["levels"]] == ["L1", "L2", "L3", "memory"]
    assert [row["sysfs_bytes"] for row in written["levels"]] == [32 * KIB, MIB, 32 * MIB, None]
    ns = [row["detected"]["latency_ns"] for row in written["levels"]]
    assert all(a < b for a, b in pairwise(ns))
    assert [row["detected"]["confidence"] for row in written["levels"]] == [
        "high",
        "high",
        "high",
        None,
    ]
    assert written["ways"][0]["fits_lines"] == written["ways"][0]["sysfs_ways"] == 8
    assert written["counters"] == {
        "kind": "measured",
        "counted": ["cycles", "instructions"],
        "refused": {},
    }
    point = written["curve"]["points"][-1]
    assert (point["ring_bytes"], point["kind"]) == (GIB, "measured")
    assert point["min_ns"] <= point["median_ns"] <= point["max_ns"]
    assert written["machine"]["nodes"] == [{"node": 0, "cpus": [0, 1, 2, 3]}]
    assert [cache["level"] for cache in written["machine"]["caches"]] == [1, 2, 3]
    assert written["nodes"]["note"] == "this machine has one NUMA node"


def test_refused_counters_are_null_with_the_reason() -> None:
    written = document(measurement())
    assert written["counters"]["kind"] == "unavailable"
    assert written["counters"]["refused"]["cycles"] == "No such file or directory"
    assert written["threads"]["points"][0]["threads"][0]["counts_per_step"]["cycles"] is None
