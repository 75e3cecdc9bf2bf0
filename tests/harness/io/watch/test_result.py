"""The result of a watch: the JSON that scripts rely on, read back without a loss."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.io.watch.result import WatchResult, watch_result
from stallscope.documents import decode, encode
from stallscope.errors import RecordingError
from tests.harness.io.watch.watches import SCOPE, watch_of_events


@pytest.fixture
def document(tmp_path: Path) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(
        encode(watch_result(watch_of_events(tmp_path), SCOPE, ["a note"]))
    )
    return values


def test_the_json_has_the_fields_that_scripts_rely_on(document: dict[str, Any]) -> None:
    assert document["schema"] == "stallscope.io.watch/1"
    reads, writes = document["rows"]
    assert (reads["device"], reads["direction"], reads["requests"]) == ("sda", "read", 100)
    assert reads["queue_ns"]["p50"] == 10
    assert reads["device_ns"]["max"] == 100
    assert reads["total_ns"]["mean"] == 110
    assert reads["histogram"] == [[100, 100, 100]]
    assert (writes["queued"], writes["queue_ns"]) == (0, None)  # missing, not zero
    assert writes["errors"] == {"EIO": 1}
    first = document["processes"][0]
    assert (first["name"], first["requests"]) == ("database", 90)
    assert document["under_way"] == {"at_start": 0, "at_end": 1}
    assert document["lost"]["events"] == 0
    assert document["overhead"]["events"] == 303
    assert document["overhead"]["own_cpu_share"] == 0.025
    assert sum(map(sum, document["heat"]["columns"])) == 101
    assert document["warnings"] == ["a note"]


def test_after_a_loss_the_requests_at_the_start_are_unknown(tmp_path: Path) -> None:
    result = watch_result(watch_of_events(tmp_path, lost=7), SCOPE, [])
    assert (result.under_way.at_start, result.under_way.at_end) == (None, 1)


def test_an_unknown_loss_is_not_zero(tmp_path: Path) -> None:
    measurement = replace(watch_of_events(tmp_path), lost_events=None)
    result = watch_result(measurement, SCOPE, [])
    assert result.lost.events is None
    assert (result.under_way.at_start, result.under_way.at_end) == (None, 1)


def test_a_decoded_result_equals_the_written_result(tmp_path: Path) -> None:
    written = watch_result(watch_of_events(tmp_path), SCOPE, ["a note"])
    assert decode(encode(written), WatchResult, "watch.json") == written


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("rows",), {}),
        (("rows", 0, "requests"), -1),
        (("rows", 0, "histogram"), [[5, 1, 1]]),
        (("rows", 0, "histogram"), [[1, 2**63, 1]]),
        (("rows", 0, "histogram"), 7),
        (("rows", 0, "errors"), {"EIO": "many"}),
        (("heat", "columns"), [[1, 2]]),
        (("heat", "columns", 0), ["x"]),
        (("devices", 0, "device"), None),
        (("seconds",), "long"),
        (("seconds",), None),
        (("heat", "column_s"), None),
        (("overhead", "own_cpu_s"), None),
    ],
)
def test_a_damaged_result_is_refused(
    document: dict[str, Any], path: tuple[str | int, ...], value: object
) -> None:
    damaged = copy.deepcopy(document)
    parent: Any = damaged
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = value
    with pytest.raises(RecordingError):
        decode(json.dumps(damaged), WatchResult, "watch.json")
