"""The result of the scale lab."""

import json
from dataclasses import replace

from harness.labs.scale.result import LabScaleResult, scale_result
from stallscope.documents import decode, encode
from tests.harness.labs.scale.measurements import measurement
from tests.harness.labs.stages.measurements import SETTINGS


def test_the_document_has_n_and_x() -> None:
    document = json.loads(encode(scale_result(measurement())))
    assert document["schema"] == "stallscope.lab.scale/1"
    assert document["settings"] is None
    point = document["points"][-1]
    assert (point["axis"], point["N"], point["X"], point["shared_cpu"]) == (
        "threads", 2, 2001, True,
    )  # fmt: skip
    assert len(point["runs"]) == 3


def test_decoding_the_encoded_result_returns_it() -> None:
    result = scale_result(replace(measurement(), settings=SETTINGS))
    assert decode(encode(result), LabScaleResult, "scale") == result


def test_notes_name_the_machines_settings_and_missing_points() -> None:
    result = scale_result(replace(measurement(), settings=SETTINGS))
    assert "Less repeatable: C6 open (170 us), entered 9 times." in result.notes
    assert "1 point by threads: a fit of three parameters needs 6." in result.notes
    assert "3 points by connections: a fit of three parameters needs 6." in result.notes


def test_points_without_a_run_are_left_out() -> None:
    lab = measurement()
    result = scale_result(replace(lab, runs=lab.runs[:2], interrupted=True))
    assert [point.n for point in result.points] == [1, 2]
    assert result.notes[0].startswith("Interrupted")
