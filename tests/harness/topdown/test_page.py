"""The page of counted slots."""

import re
from dataclasses import replace

from harness.topdown.page import render_slots_page
from harness.topdown.result import topdown_result
from tests.harness.topdown.markup import words
from tests.harness.topdown.measurements import (
    COUNTED,
    SLICED,
)

EVIL = "</dd><script>alert(1)</script>\u202e\x1b"


def test_every_text_is_escaped() -> None:
    hostile = replace(
        COUNTED,
        source=EVIL,
        title=EVIL,
        warnings=(EVIL,),
        facts=((EVIL, EVIL),),
        bottleneck_why=EVIL,
        nodes=(replace(COUNTED.nodes[0], name=EVIL, unit=EVIL, warnings=(EVIL,)),),
        bottleneck=(EVIL,),
    )
    page = render_slots_page(
        topdown_result(hostile), title=EVIL, recording_name=EVIL, host={EVIL: EVIL}
    )
    assert words(page).tags.count("script") == 2  # the page's scripts: data, and an empty script
    assert "\u202e" not in page
    assert "\x1b" not in page


def test_the_page_has_no_external_resources_and_no_inline_style() -> None:
    page = render_slots_page(
        topdown_result(SLICED), title="run", recording_name="run", host={"CPU": "x"}
    )
    assert not re.search(r'(?:src|href)="|url\(|@import| style="', page)
    assert "default-src 'none'" in page
