from markupsafe import Markup

from harness.diagnose.page.section import absent, section_of
from harness.page.panels import Panel


def test_a_missing_panel_says_why_in_one_line() -> None:
    section = absent("x", "Title", "No <b> here.", "Do this.")
    assert section.state == "unavailable"
    assert 'id="x"' in section.markup
    assert "No &lt;b&gt; here." in section.markup
    assert section.markup.count("<p>") == 1


def test_ids_of_panels_of_another_page_get_a_prefix() -> None:
    markup = Markup('<p id="x" aria-labelledby="y"></p><a href="#x"></a><b fill="url(#z)"></b>')
    section = section_of("disk", "Disk", (Panel(markup, ()),))
    expected = '<p id="disk-x" aria-labelledby="disk-y"></p><a href="#disk-x"></a>'
    assert section.markup == expected + '<b fill="url(#disk-z)"></b>'
