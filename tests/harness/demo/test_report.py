"""The page of the demo."""

from pathlib import Path

from markupsafe import Markup

from harness.demo.report import DemoPart, write_demo_page
from harness.page.panels import Panel
from tests.harness.diagnose.page.contents import content

PANEL = Panel(Markup('<section id="verdict" aria-labelledby="verdict-title"></section>'), ())


def parts(folder: Path) -> list[DemoPart]:
    return [
        DemoPart(
            "stages", "Stages <b>", folder / "report.html", "gain: 1.5", (PANEL,), "Stages: gain"
        ),
        DemoPart("storm", "Disk", folder / "disk-storm" / "report.html", "no gain here", (PANEL,)),
        DemoPart("idle", "Sleep states", None, "not recorded: no tracefs"),
    ]


def test_one_page_has_the_verdicts_first_and_all_panels(tmp_path: Path) -> None:
    text = write_demo_page(tmp_path, parts(tmp_path), content()).read_text()
    assert text.index("<h1>Stages: gain. The server with stages: ") < text.index('id="pages"')
    assert text.index('id="pages"') < text.index('id="finding-1"') < text.index('id="timeline"')
    assert '<a href="#stages">Stages &lt;b&gt;</a>' in text
    assert '<a href="disk-storm/report.html">' in text
    assert "not recorded: no tracefs" in text
    assert text.count('id="stages"') == text.count('id="storm"') == 1
    assert 'id="stages-verdict" aria-labelledby="stages-verdict-title"' in text


def test_without_a_diagnosis_the_page_has_the_other_parts(tmp_path: Path) -> None:
    text = write_demo_page(tmp_path, parts(tmp_path), None).read_text()
    assert '<a href="#storm">Disk</a>' in text
    assert 'id="storm"' in text
    assert 'id="storm-verdict"' in text
