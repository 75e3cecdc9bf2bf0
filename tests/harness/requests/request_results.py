"""Analyses and documents of requests for tests of texts and pages."""

from pathlib import Path

from harness.requests.build import requests_result
from harness.requests.result import RequestsResult
from harness.waits.analysis import WaitAnalysis
from tests.harness.waits.analyses import built_analysis
from tests.topdown.requests.request_recording import RequestRecording, recording


def analysis_of(recorded: RequestRecording, *, title: str = "pid 1000") -> WaitAnalysis:
    """Return the analysis of waits of a recording of requests."""
    return built_analysis(recorded.built, recorded.kinds, title)


def result_of(cause: str, *, count: int = 1200, title: str = "pid 1000") -> RequestsResult:
    """Return the document of requests with this cause of slow ones."""
    recorded = recording(cause, count=count)
    return requests_result(
        analysis_of(recorded, title=title), recorded.marks, recording=Path("run"), report=None
    )
