"""The page around panels of sleep states."""

from pathlib import Path

from markupsafe import Markup

from harness.cstates.page import write_page


def test_panels_stand_in_their_order_and_texts_are_escaped(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    panels = [Markup("<p id='first'></p>"), Markup("<p id='second'></p>")]
    write_page(page, panels, title="idle <b>", source="measured", host={"CPU": "<script>"})
    text = page.read_text()
    assert text.index("id='first'") < text.index("id='second'")
    assert "<h1>idle &lt;b&gt;</h1>" in text
    assert "&lt;script&gt;" in text
    assert "<title>idle &lt;b&gt; · sleep states · stallscope</title>" in text
