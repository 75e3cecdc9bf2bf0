"""The page of simulated governors."""

from pathlib import Path

from harness.cstates.simulate.panel import simulated_panel, write_simulated_page
from tests.harness.cstates.simulate.results import result, row


def test_the_panel_has_a_row_for_each_governor_and_the_meaning_of_its_numbers() -> None:
    markup = simulated_panel(result(row("menu"), row("<teo>")))
    assert "menu" in markup
    assert "&lt;teo&gt;" in markup
    assert "<teo>" not in markup
    assert "delay of a wake-up" in markup


def test_the_page_is_marked_as_modelled(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    write_simulated_page(page, result(row("menu")))
    text = page.read_text()
    assert "modelled" in text
    assert "\x1b" not in text
