"""The result of a mix: the JSON that scripts rely on, read back without a loss."""

import json
from typing import Any

import pytest

from harness.io.mix.result import MixResult
from stallscope.documents import decode, encode
from stallscope.errors import RecordingError
from tests.harness.io.mix.results import result


def test_the_json_has_every_cell_and_a_reason_if_masked() -> None:
    document = json.loads(encode(result()))
    assert document["schema"] == "stallscope.io.mix/1"
    assert len(document["cells"]) == 35
    for cell in document["cells"]:
        is_masked = cell["outcome"] != "kept"
        assert is_masked == bool(cell["why"])
        assert is_masked == (cell["bytes_per_s"] is None)
    missed = [cell for cell in document["cells"] if cell["outcome"] == "missed"]
    assert missed[0]["got_per_s"] < 0.97 * (missed[0]["reads_per_s"] + missed[0]["writes_per_s"])


def test_a_decoded_result_equals_the_written_result() -> None:
    written = result()
    assert decode(encode(written), MixResult, "mix.json") == written


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"cells": 3}, "$.cells"),
        ({"cells": [{"outcome": 1}]}, "$.cells[0].outcome"),
        ({"sizes": [{"kind": "reads", "block_bytes": -1, "cells": []}]}, "$.sizes[0].block_bytes"),
        ({"shares": ["x"]}, "$.shares[0]"),
        ({"block_bytes": None}, "$.block_bytes"),
        ({"complete": "yes"}, "$.complete"),
    ],
)
def test_a_damaged_result_is_refused_with_the_path_of_the_field(
    change: dict[str, Any], path: str
) -> None:
    damaged = json.loads(encode(result())) | change
    with pytest.raises(RecordingError) as refused:
        decode(json.dumps(damaged), MixResult, "mix.json")
    assert f"at `{path}`" in refused.value.message
