"""Results of probes of a simulated disk, by the command line."""

import json
from typing import Any

import pytest

from harness.cli.command_line import main
from harness.io.probe.result import ProbeResult
from stallscope.documents import decode

DISK = "sim:servers=8,service=1ms"


def probe_document(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    """Return the JSON that `stallscope io probe --json` prints."""
    assert main(["io", "probe", *options, "--json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def result(capsys: pytest.CaptureFixture[str], **changes: Any) -> ProbeResult:
    """Return the result of 200 reads, with changed JSON fields."""
    document = probe_document(capsys, DISK, "--count", "200") | changes
    return decode(json.dumps(document), ProbeResult, "probe.json")
