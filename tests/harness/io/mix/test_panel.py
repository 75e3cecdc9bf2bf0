"""The panel of a mix in a page."""

from msgspec import structs

from harness.io.mix.panel import panels
from tests.harness.io.mix.results import result


def test_the_panel_escapes_texts_and_explains_masked_cells() -> None:
    (panel,) = panels(result())
    assert panel.markup.count("<svg") == 11
    assert "<i>" not in panel.markup
    assert "<title>a cell with less load missed</title>" in panel.markup
    assert 'fill="#' in panel.markup
    assert "style=" not in panel.markup


def test_impossible_values_are_masked() -> None:
    measured = result()
    cell = structs.replace(measured.cells[0], bytes_per_s=-1.0, outcome="kept", why="")
    (panel,) = panels(structs.replace(measured, cells=(cell,)))
    assert "<svg" in panel.markup
