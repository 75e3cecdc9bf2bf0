"""A page of panels."""

from markupsafe import Markup

from harness.page.panels import CURVE_STYLE, TABLE_STYLE, Head, Panel, render_panels

EVIL = "</title><script>alert(1)</script>\u202e"


def test_panels_stay_in_their_order_and_share_style_sheets() -> None:
    panels = [
        Panel(Markup("<section>first</section>"), (TABLE_STYLE,)),
        Panel(Markup("<section>second</section>"), (TABLE_STYLE, CURVE_STYLE)),
    ]
    page = render_panels(panels, Head("a run", "run", "disk", "measured", "tab"), {"CPU": "x"})
    assert page.index("first") < page.index("second")
    assert "<title>a run · tab · stallscope</title>" in page
    alone = render_panels(panels[:1], Head("a run", "run", "disk", "measured"), {})
    twice = render_panels([panels[0]] * 2, Head("a run", "run", "disk", "measured"), {})
    assert len(twice) - len(alone) < 100  # the second panel without a second style sheet


def test_every_text_of_the_head_is_escaped() -> None:
    page = render_panels([], Head(EVIL, EVIL, EVIL, EVIL, EVIL), {EVIL: EVIL})
    assert "<script>alert" not in page
