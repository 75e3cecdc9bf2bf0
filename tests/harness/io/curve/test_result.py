"""The result of a curve: the JSON that scripts rely on, read back without a loss."""

import json
from dataclasses import replace

import pytest

from harness.io.curve.result import CurveResult
from ioprobe.curve.readings import DepthReading
from stallscope.documents import decode, encode
from stallscope.errors import RecordingError
from tests.harness.io.curve.results import result
from tests.ioprobe.server_model import ServerModel


def test_the_json_has_the_fields_that_scripts_rely_on() -> None:
    document = json.loads(encode(result(slo_p99_ns=1e9)))
    assert document["schema"] == "stallscope.io.curve/1"
    assert document["recommended"] == {
        "latency_optimal": 12,
        "knee": 12,
        "slo": document["points"][-1]["depth"],
    }
    assert document["verdict"] == "clear knee"
    depth_8 = next(point for point in document["points"] if point["depth"] == 8)
    assert depth_8["ok"] is True
    assert depth_8["iops"] == pytest.approx(8000, rel=0.05)
    percentiles = {"p50", "p90", "p99", "p99.9", "p99.99"}
    assert set(depth_8["latency_ns"]) == {"min", "mean", "max"} | percentiles
    assert document["io_properties"] == {
        "mountpoint": "/srv/<db>",
        "read_iops": 12000,
        "read_bandwidth": 300000000,
    }


def test_a_decoded_result_equals_the_written_result() -> None:
    written = result(slo_p99_ns=8e6)
    assert decode(encode(written), CurveResult, "curve.json") == written


def test_a_masked_depth_has_nulls_and_the_reason() -> None:
    def with_masked_reading(reading: DepthReading) -> DepthReading:
        return replace(reading, failed=("Little's law",)) if reading.depth == 4 else reading

    points = result(ServerModel(8, alter=with_masked_reading)).points
    depth_4 = next(point for point in points if point.depth == 4)
    assert (depth_4.ok, depth_4.iops, depth_4.latency_ns) == (False, None, None)
    assert depth_4.masked == ("Little's law",)


def test_a_curve_without_an_accepted_reading_has_no_recommendation() -> None:
    masked = result(ServerModel(8, alter=lambda reading: replace(reading, failed=("a check",))))
    document = json.loads(encode(masked))
    assert document["recommended"] == {"latency_optimal": None, "knee": None, "slo": None}
    assert document["verdict"] == "no verdict"


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"points": 3}, "$.points"),
        ({"points": [{"depth": "x"}]}, "$.points[0].depth"),
        ({"recommended": {"knee": -1}}, "$.recommended.knee"),
        ({"findings": [{"verdict": 1}]}, "$.findings[0].verdict"),
        ({"path": None}, "$.path"),
        ({"facts": {"a": 1}}, "$.facts[...]"),
        ({"max_iops": "many"}, "$.max_iops"),
        ({"intervals": {"knee": "x"}}, "$.intervals[...]"),
    ],
)
def test_a_damaged_result_is_refused_with_the_path_of_the_field(
    change: dict[str, object], path: str
) -> None:
    damaged = json.loads(encode(result())) | change
    with pytest.raises(RecordingError) as refused:
        decode(json.dumps(damaged), CurveResult, "curve.json")
    assert f"at `{path}`" in refused.value.message
