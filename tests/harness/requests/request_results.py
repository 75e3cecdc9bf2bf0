"""Analyses and documents of requests for tests of texts and pages."""

from pathlib import Path

import numpy as np

from harness.requests.build import requests_result
from harness.requests.result import RequestsResult
from harness.waits.analysis import WaitAnalysis
from tests.topdown.requests.request_recording import RequestRecording, recording
from topdown.waits.groups import thread_groups
from topdown.waits.thread_states import thread_totals


def analysis_of(recorded: RequestRecording, *, title: str = "pid 1000") -> WaitAnalysis:
    """Return the analysis of waits of a recording of requests."""
    built = recorded.built
    totals = thread_totals(built.records, recorded.kinds, built.names)
    lived = np.flatnonzero(totals.wall_ns > 0).tolist()
    groups = tuple(thread_groups(built.records.threads, lived))
    return WaitAnalysis(
        title, built.records, built.names, built.syscalls, recorded.kinds, totals, groups, ()
    )


def result_of(cause: str, *, count: int = 1200, title: str = "pid 1000") -> RequestsResult:
    """Return the document of requests with this cause of slow ones."""
    recorded = recording(cause, count=count)
    return requests_result(
        analysis_of(recorded, title=title), recorded.marks, recording=Path("run"), report=None
    )
