"""The result of the stages lab."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.labs.stages.measurement import IntervalP99, Replays, SlotTrees
from harness.labs.stages.plan import Side
from harness.labs.stages.result import StagesResult, stages_result
from harness.workload.server_queries import StageCounts
from stallscope.documents import decode, encode
from tests.harness.labs.stages.measurements import SETTINGS, measurement
from tests.harness.topdown.measurements import COUNTED


def test_the_document_keeps_the_names_that_scripts_use(tmp_path: Path) -> None:
    document = json.loads(encode(stages_result(measurement(tmp_path))))
    assert document["schema"] == "stallscope.lab.stages/1"
    assert (document["path"], document["pairs"]) == ("codec", 5)
    assert document["throughput_ratio"] == {"median": 1.5, "low": 1.4, "high": 1.7, "n": 5}
    assert document["p99_ratio"]["median"] == pytest.approx(1 / 1.5)
    assert document["cpu_per_request_ratio"]["high"] == pytest.approx(1 / 1.4)
    assert document["icache_miss_ratio"] == {"unstaged": 0.116, "staged": 0.0036}
    assert document["instructions_per_request_ratio"] == pytest.approx(1.002)
    assert document["average_batch"] == 16
    assert document["verdict"] == "gain"
    assert document["settings"] is None
    for side in ("unstaged", "staged"):
        assert (document["slots"][side]["kind"], document["slots"][side]["nodes"]) == (
            "unavailable",
            {},
        )
    assert document["ipc_meaning"] is None
    assert document["slots_unavailable"] == "this machine has no hardware counters"
    assert len(document["rounds"]) == 40
    assert {"rate_requested", "p99.9_us", "limited_by_loader"} <= set(document["rounds"][0])
    assert [load["load"] for load in document["loads"]] == [
        "saturated", "open30", "open60", "open90",
    ]  # fmt: skip
    assert {"mean", "p95", "average_batch"} <= set(document["rounds"][0])
    assert {"mean", "p95", "average_batch"} <= set(document["loads"][0])
    row = document["rows"][1]
    assert (row["load"], row["side"], row["mean"]) == (
        "saturated",
        "staged",
        pytest.approx(110 / 1.5),
    )
    assert (row["p95"], row["average_batch"]) == (pytest.approx(400 / 1.5), 16)
    assert {"unstaged", "staged", "ratio"} == set(document["loads"][0]["p99.9_us"])


def test_missing_values_are_null_with_the_reason(tmp_path: Path) -> None:
    lab = replace(
        measurement(tmp_path), readings=(), replays=Replays(None, None, "", "no valgrind")
    )
    document = json.loads(encode(stages_result(lab)))
    ratio = document["throughput_ratio"]
    assert (ratio["median"], ratio["low"], ratio["high"], ratio["n"]) == (None, None, None, 0)
    assert ratio["warnings"] == ["no value was measured"]
    assert document["icache_miss_ratio"] == {"unstaged": None, "staged": None}
    assert document["instructions_per_request_ratio"] is None
    assert document["simulation"] == {
        "kind": "unavailable", "model": None, "why_not": "no valgrind",
    }  # fmt: skip
    assert document["verdict"] == "no verdict"


def test_decoding_the_encoded_result_returns_it(tmp_path: Path) -> None:
    slots = SlotTrees(dict.fromkeys(Side, COUNTED), icache_miss_ratio=dict.fromkeys(Side, 0.25))
    lab = replace(measurement(tmp_path), settings=SETTINGS, slots=slots)
    result = stages_result(lab)
    assert decode(encode(result), StagesResult, "stages.json") == result
    document = json.loads(encode(result))
    side = document["slots"]["unstaged"]
    assert (side["kind"], side["nodes"]["Retiring"]["value"]) == ("measured", 0.2)
    assert document["icache_miss_ratio_counted"] == {"unstaged": 0.25, "staged": 0.25}
    assert "below 1.0" in document["ipc_meaning"]


def test_p99_over_time_counts_from_the_first_interval(tmp_path: Path) -> None:
    lab = measurement(tmp_path)
    first, second, *rest = lab.readings
    readings = (
        replace(
            first, p99_over_time=(IntervalP99(1000.0, 1.0, 90.0), IntervalP99(1001.0, 0.5, 80.0))
        ),
        replace(second, p99_over_time=(IntervalP99(1003.0, 1.0, 70.0),)),
        *rest,
    )
    rounds = json.loads(encode(stages_result(replace(lab, readings=readings))))["rounds"]
    assert [part["t_s"] for part in rounds[0]["p99_over_time"]] == [0.0, 1.0]
    assert rounds[1]["p99_over_time"] == [{"t_s": 3.0, "length_s": 1.0, "p99_us": 70.0}]


def test_the_document_has_the_counts_of_each_stage_over_the_saturated_runs(tmp_path: Path) -> None:
    lab = measurement(tmp_path)
    counts = {"execute": StageCounts(60, 60, 20, 1), "range": StageCounts(0, 0, 0, 0)}
    readings = tuple(
        replace(reading, stages=counts if reading.run.side is Side.STAGED else {})
        for reading in lab.readings
    )
    execute, unused = stages_result(replace(lab, readings=readings)).stages
    assert (execute.name, execute.executed, execute.batches, execute.preempted) == (
        "execute", 300, 100, 5,
    )  # fmt: skip
    assert execute.average_batch == 3.0
    assert (unused.name, unused.average_batch) == ("range", None)
