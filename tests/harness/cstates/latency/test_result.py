"""The document of `cstates latency` as evidence for advice."""

import json
from pathlib import Path

import pytest

from cstates.advice.evidence import WakeEvidence
from cstates.wake_latency import WakeFinding
from harness.cstates.latency.result import read_evidence
from stallscope.errors import RecordingError


def test_evidence_is_read_from_a_latency_document_and_a_damaged_one_is_rejected(
    tmp_path: Path,
) -> None:
    verdict: dict[str, object] = {
        "test": "tcp", "states": "up to C1", "closed": ["C6"], "gain_us": 17.0, "min_us": 1.0,
        "max_us": 20.0, "finding": "less", "text": "17 us less",
    }  # fmt: skip
    document = {
        "schema": "stallscope.cstates.latency/1", "cpus": [0], "rounds": 6, "results": [],
        "verdicts": [verdict], "notes": [],
    }  # fmt: skip
    path = tmp_path / "latency.json"
    path.write_text(json.dumps(document))
    assert read_evidence(path) == (WakeEvidence("tcp", ("C6",), WakeFinding.LESS, "17 us less"),)
    wrong: list[dict[str, object]] = [
        {"schema": "x"}, {"verdicts": [verdict | {"finding": "maybe"}]}, {"verdicts": [3]},
    ]  # fmt: skip
    for fields in wrong:
        path.write_text(json.dumps(document | fields))
        with pytest.raises(RecordingError):
            read_evidence(path)
