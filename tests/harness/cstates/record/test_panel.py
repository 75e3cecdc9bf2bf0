"""Panel, text and picture of recorded idle intervals, also with hostile names."""

from cstates.advice.sleep_costs import explain
from harness.cstates.explain.result import explain_result
from harness.cstates.explain.text import explain_lines
from harness.cstates.record.analysis import idle_run
from harness.cstates.record.panel import idle_panel
from harness.cstates.record.text import lines
from tests.harness.cstates.record.results import HOSTILE, recording_of


def test_the_page_has_costs_and_advice() -> None:
    page = idle_panel(recording_of(100))
    for text in ("Measured against declared", "target residency 600 us", "Advice", "--states C1"):
        assert text in page


def test_names_of_processes_and_commands_are_escaped() -> None:
    recording = recording_of(100, HOSTILE)
    run = idle_run(recording)
    page = idle_panel(recording)
    texts = [*lines(recording, 100), *explain_lines(explain_result(run, explain(run)), 100)]
    assert "<script" not in page
    assert not any("\x1b" in text for text in [page, *texts])
