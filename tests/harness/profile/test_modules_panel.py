"""The panel on modules."""

from harness.profile.modules_panel import modules_panel
from harness.profile.page import PageContent, render_page
from tests.harness.profile.grouped_profiles import analysis_with_modules


def test_modules_are_rows_with_escaped_names() -> None:
    modules = analysis_with_modules().modules
    assert modules is not None
    markup = modules_panel(modules)
    assert "java.util" in markup
    assert "&lt;b&gt;" in markup
    assert "<b>\x1b" not in markup
    assert "2, by self" in markup


def test_the_page_has_the_panel_if_modules_were_requested() -> None:
    analysis = analysis_with_modules()
    content = PageContent(modules=analysis.modules)
    page = render_page(analysis.profile, recording_name="run", host={}, content=content)
    assert 'id="modules"' in page
    assert 'id="modules"' not in render_page(analysis.profile, recording_name="run", host={})
