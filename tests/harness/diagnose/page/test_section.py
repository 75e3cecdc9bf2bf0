from harness.diagnose.page.section import absent


def test_a_missing_panel_says_why_in_one_line() -> None:
    section = absent("x", "Title", "No <b> here.", "Do this.")
    assert section.state == "unavailable"
    assert 'id="x"' in section.markup
    assert "No &lt;b&gt; here." in section.markup
    assert section.markup.count("<p>") == 1
