"""The panel of a queue in a page."""

from harness.io.queue.panel import panels
from tests.harness.io.queue.results import Machines, interval, result, submission_stalls


def test_the_panel_escapes_texts_and_lists_stalled_processes(machine: Machines) -> None:
    roots = machine("sata-rotational")
    evil = "<b>\x1b[31m\u202ex"
    (roots.sys / "class/block/sda").resolve().joinpath("device/model").write_text(evil)
    measurement = interval(submission_stalls(name=evil), complete=False)
    (panel,) = panels(result(roots, "/dev/sda", measurement))
    for raw in ("<b>", "\x1b", "\u202e"):
        assert raw not in panel.markup
    assert "6 of 8 (75.0 %)" in panel.markup
    assert "over nr_requests" in panel.markup
    assert "1 more processes used plain reads" in panel.markup
    assert "interrupted" in panel.markup
