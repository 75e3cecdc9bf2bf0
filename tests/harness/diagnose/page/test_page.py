import re

from harness.diagnose.facts import Measurements
from harness.diagnose.page.page import render_diagnose_page
from tests.harness.diagnose.diagnoses import BUSY
from tests.harness.diagnose.page.contents import content


def test_every_link_has_its_target() -> None:
    page = render_diagnose_page(content())
    ids = re.findall(r'<[^>]* id="([^"]+)"', page)
    assert len(set(ids)) == len(ids)
    links = set(re.findall(r'href="#([^"]+)"', page))
    assert {"finding-1", "causes", "timeline", "flame", "slots", "comparison"} <= links
    assert links <= set(ids)


def test_the_verdict_comes_first() -> None:
    made = content()
    page = render_diagnose_page(made)
    assert page.index("<h1>") < page.index('id="finding-1"') < page.index('id="timeline"')


def test_without_findings_nothing_stands_out() -> None:
    page = render_diagnose_page(content(BUSY))
    assert "<h1>Nothing stands out" in page
    assert 'id="finding-0"' in page


def test_a_page_of_waits_alone_has_a_line_for_each_missing_panel() -> None:
    made = content(flames=(), binned=None, readings=(), reads=(), measurements=Measurements())
    page = render_diagnose_page(made)
    assert page.count('class="is-absent"') >= 6
