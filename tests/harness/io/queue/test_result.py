"""The result of a queue: the JSON that scripts rely on, read back without a loss."""

import json
from typing import Any

import pytest

from harness.io.queue.result import QueueResult
from stallscope.documents import decode, encode
from stallscope.errors import RecordingError
from tests.harness.io.queue.results import (
    ACTIVITY,
    PATHS,
    Machines,
    interval,
    result,
    submission_stalls,
)


def test_the_json_has_the_fields_that_scripts_rely_on(machine: Machines) -> None:
    document = json.loads(encode(result(machine("sata-rotational"), "/x")))
    assert document["schema"] == "stallscope.io.queue/1"
    assert document["mount"]["filesystem"] == "xfs"
    partition, disk = document["devices"]
    assert partition["queue"] is None
    assert disk["what"] == "SATA disk Made HDD 4000"
    assert disk["queue"]["nr_requests"] == 64
    assert disk["queue"]["tags"] == {"queues": 1, "per_queue": 32, "reserved": 0, "source": "sysfs"}
    assert (disk["queue"]["admitted"], disk["queue"]["on_device"]) == (64, 32)
    assert disk["limits"][0]["what"] == "wbps"
    settings = {setting["key"]: setting for setting in disk["settings"]}
    assert settings["nr_requests"]["label"] == "nr_requests"
    assert settings["nr_requests"]["value"] == "64"
    assert "request 65 waits" in settings["nr_requests"]["meaning"]
    assert document["complete"]
    assert (document["pressure"], disk["over_interval"]) == (None, None)
    assert document["pressure_missing"]


def test_stalls_have_the_fields_that_scripts_rely_on(machine: Machines) -> None:
    measured = result(machine("sata-rotational"), "/dev/sda", interval(submission_stalls()))
    stalls = json.loads(encode(measured))["stalls"]
    assert (stalls["nr_requests"], stalls["max_in_flight"]) == (8, 8)
    assert stalls["processes"][0]["cause"] == "over nr_requests"
    assert stalls["processes"][0]["punt_share"] == 0.75
    assert stalls["processes"][0]["punted_opcodes"] == {"22": 6}
    assert measured.stalls_missing is None


@pytest.mark.parametrize("name", PATHS)
def test_a_decoded_result_equals_the_written_result(machine: Machines, name: str) -> None:
    measurement = interval(submission_stalls(), sda=ACTIVITY)
    written = result(machine(name), PATHS[name], measurement)
    assert decode(encode(written), QueueResult, "queue.json") == written
    assert all(device.settings for device in written.devices)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"devices": 5}, "$.devices"),
        ({"devices": [{"name": "sda"}]}, "$.devices[0]"),
        ({"depth": None}, "$.depth"),
        ({"mount": {"point": "/"}}, "$.mount"),
        ({"pressure": {"some": {"avg10": "much"}}}, "$.pressure.some.avg10"),
        ({"interval_s": 1.0, "stalls": {"cpu_s": 0.1}}, "$.stalls"),
        ({"interval_s": "long"}, "$.interval_s"),
    ],
)
def test_a_damaged_result_is_refused_with_the_path_of_the_field(
    machine: Machines, change: dict[str, Any], path: str
) -> None:
    damaged = json.loads(encode(result(machine("sata-rotational"), "/x"))) | change
    with pytest.raises(RecordingError) as refused:
        decode(json.dumps(damaged), QueueResult, "queue.json")
    assert f"at `{path}`" in refused.value.message


def test_an_unknown_cause_is_refused(machine: Machines) -> None:
    measured = result(machine("sata-rotational"), "/dev/sda", interval(submission_stalls()))
    document = json.loads(encode(measured))
    document["stalls"]["processes"][0]["cause"] = "the moon"
    with pytest.raises(RecordingError, match="the moon"):
        decode(json.dumps(document), QueueResult, "queue.json")
