"""The index page of the demo."""

from pathlib import Path

from harness.demo.index import DemoPage, write_index


def test_the_index_links_every_page_with_its_verdict(tmp_path: Path) -> None:
    pages = [
        DemoPage("Stages <b>", tmp_path / "report.html", "gain: throughput 1.5"),
        DemoPage("Disk", tmp_path / "disk-storm" / "report.html", "no gain here"),
        DemoPage("Sleep states", None, "not recorded: no tracefs"),
    ]
    text = write_index(tmp_path, pages).read_text()
    assert '<a href="report.html">Stages &lt;b&gt;</a>' in text
    assert '<a href="disk-storm/report.html">Disk</a>' in text
    assert "not recorded: no tracefs" in text
    assert text.count("<a href=") == 2
