"""The page of a recording of a disk."""

from pathlib import Path

from markupsafe import Markup

from harness.io.page import write_page
from harness.io.recording import write_manifest
from harness.page.panels import Panel
from tests.harness.io.probe_recording import recording_in


class Result:
    """What a page needs of a result."""

    def __init__(self, title: str, source: str) -> None:
        self.title = title
        self.source = source


def test_sections_share_a_page_with_their_titles_and_sources(tmp_path: Path) -> None:
    write_manifest(recording_in(tmp_path), end="duration")
    results = [Result("reads <b>", "measured"), Result("writes", "modelled")]
    sections = [(result, [Panel(Markup("<p>panel</p>"), ())]) for result in results]
    assert write_page(tmp_path, sections) == tmp_path / "report.html"
    page = (tmp_path / "report.html").read_text()
    assert "reads &lt;b&gt;; writes" in page
    assert "measured, modelled" in page
    assert page.count("<p>panel</p>") == 2
    named = tmp_path / "other.html"
    assert write_page(tmp_path, sections[:1], named) == named
    assert "modelled" not in named.read_text()
