"""The panel of a curve in a page."""

from dataclasses import replace

from harness.io.curve.panel import panels
from harness.page.panels import Head, render_panels
from tests.harness.io.curve.results import result
from tests.ioprobe.server_model import ServerModel


def test_the_panel_escapes_texts_and_draws_both_plots() -> None:
    (panel,) = panels(result(slo_p99_ns=8e6))
    assert "<b>clear knee</b>" in panel.markup
    assert "a note &lt;b&gt;" in panel.markup
    assert panel.markup.count("<figure>") == 2
    assert panel.markup.count('class="plot-line curve-mark mark-') == 6
    page = render_panels([panel], Head("<t>", "r", "disk", "measured"), {})
    assert "<t>" not in page
    assert ".curve-mark" in page


def test_a_curve_without_an_accepted_reading_has_a_panel() -> None:
    masked = ServerModel(8, alter=lambda reading: replace(reading, failed=("a check",)))
    (panel,) = panels(result(masked))
    assert "masked" in panel.markup
