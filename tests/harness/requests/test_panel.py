from dataclasses import replace
from pathlib import Path

from harness.requests.build import requests_result
from harness.requests.panel import requests_panel
from tests.harness.requests.request_results import analysis_of, result_of
from tests.topdown.requests.request_recording import recording


def test_the_panel_has_the_verdict_and_the_states() -> None:
    markup = requests_panel(result_of("disk")).markup
    assert "disk write in fsync" in markup
    assert "disk write *" in markup
    assert 'id="requests"' in markup


def test_hostile_names_are_escaped() -> None:
    recorded = recording("disk")
    hostile = replace(recorded.marks, names=("<script>alert(1)</script>\x1b[31m",))
    result = requests_result(analysis_of(recorded), hostile, recording=Path("run"), report=None)
    other = requests_panel(result).markup
    assert "<script>alert" not in other
    assert "\x1b" not in other


def test_few_requests_have_no_table_of_states() -> None:
    markup = requests_panel(result_of("disk", count=0)).markup
    assert "too few" in markup
    assert "<th" not in markup
