"""A run read back from its directory."""

import json
from pathlib import Path

import pytest

from stallscope.errors import RecordingError
from stallscope.system_files import Roots
from tests.topdown.slots.counting.played import PlayedCollector
from tests.topdown.slots.counting.skylake import SKYLAKE, shares, taken
from topdown.slots.counting.session import (
    measurement_of_recording,
)


def test_an_untrusted_plan_is_validated(tmp_path: Path, skylake: Roots) -> None:
    taken(tmp_path, skylake, PlayedCollector(SKYLAKE), level=1)
    path = tmp_path / "out" / "plan.json"
    document = json.loads(path.read_text())
    for subject, expected_text in (
        ({"model": "../../etc/passwd"}, "unknown CPU model"),
        ({"model": "skl", "nodes": ["Nonsense"]}, "unknown node"),
        ({"model": 7}, "Expected `str . null`"),
        ({}, "does not name its CPU"),
    ):
        path.write_text(json.dumps(document | {"subject": subject}))
        with pytest.raises(RecordingError, match=expected_text):
            measurement_of_recording(tmp_path / "out")
    # Without a subject, the nodes whose events were counted.
    result = measurement_of_recording(tmp_path / "out", cpu="skl")
    assert result.cpu == "skl"
    assert shares(result)["Frontend_Bound"] == pytest.approx(0.1)
    assert "DRAM_Bound" not in shares(result)


def test_notices_of_one_kind_are_printed_once(tmp_path: Path, skylake: Roots) -> None:
    taken(tmp_path, skylake, PlayedCollector(SKYLAKE), level=1)
    path = tmp_path / "out" / "recording.json"
    document = json.loads(path.read_text())
    notices = [{"code": "set-split", "message": f"set {number} is split"} for number in range(3)]
    path.write_text(
        json.dumps(document | {"warnings": [*notices, {"code": "other", "message": "mind"}]})
    )
    assert measurement_of_recording(tmp_path / "out").warnings == (
        "set 0 is split (and 2 more)",
        "mind",
    )
