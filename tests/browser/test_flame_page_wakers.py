"""The off-wake graph in a browser: wakers on top of waits, shown on request."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.profile.analysis import analyze
from harness.profile.options import AnalysisOptions
from harness.profile.page import PageContent
from stallscope.recordings import open_recording
from tests.topdown.waits.test_off_wake import LOOP, RELEASE, capture
from topdown.waits.weight import Weight

pytestmark = pytest.mark.browser


def test_wakers_are_shown_and_hidden_with_their_functions(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    path = capture([RELEASE, LOOP]).write(tmp_path / "x.perf")
    analysis = analyze(open_recording(path), AnalysisOptions(weight=Weight.OFF_CPU))
    content = PageContent(off_cpu=analysis.off_cpu, with_wakers=analysis.with_wakers)
    page = opened(analysis.profile, content)
    assert page.frame("waits+0x200")
    assert page.frame("waits+0x300") is None
    page.click("wakers")
    assert page.frame("waits+0x300")["depth"] > page.frame("waits+0x200")["depth"]
    assert page.frame("waits+0x3ff")["depth"] == page.frame("waits+0x300")["depth"] + 1
    page.zoom("waits+0x300")
    page.click("wakers")
    assert page.frame("waits+0x300") is None
    assert page.frame("waits+0x200")
    assert page.complaints() == []


def test_other_pages_have_no_such_button(opened: Callable[..., Any], tmp_path: Path) -> None:
    path = capture([]).write(tmp_path / "x.perf")
    page = opened(analyze(open_recording(path), AnalysisOptions(weight=Weight.WALL)).profile)
    assert not page.element("wakers").is_displayed()
