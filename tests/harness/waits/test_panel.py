from pathlib import Path

from msgspec.structs import replace

from harness.waits.build import waits_result
from harness.waits.page import render_waits_page
from harness.waits.panel import waits_panel
from stallscope.recordings import Recording
from tests.harness.waits.analyses import analysis

RECORDING = Recording(Path("run"), Path("run/samples.perf"), None)


def page(text: str, **options: object) -> str:
    result = waits_result(analysis(text, **options), recording=Path("run"), report=None)
    return render_waits_page(result, RECORDING)


def test_the_page_has_a_bar_per_group_and_a_strip_per_thread() -> None:
    text = page("main R0-100 Q100-500\nw-1@1 R0-50 W(?,sleep)50-500")
    assert text.count('class="waits-bar"') == 2
    assert text.count('class="waits-strip"') == 2
    assert "wait-run_queue" in text


def test_hostile_names_are_escaped() -> None:
    text = page("<script>alert(1)</script> R0-100", title="<img src=x>")
    assert "<script>alert" not in text
    assert "<img src=x>" not in text


def test_the_size_of_the_panel_is_bounded() -> None:
    states = ["R", "Q", "W(?,sleep)", "R"]
    rows = []
    for number in range(150):
        name = chr(97 + number // 26) + chr(97 + number % 26)
        steps = " ".join(f"{states[n % 4]}{n}-{n + 1}" for n in range(200))
        rows.append(f"{name} {steps}")
    result = waits_result(analysis("\n".join(rows)), recording=Path("run"), report=None)
    assert len(waits_panel(result).markup) < 1_000_000


def test_the_legend_has_states_that_only_the_timeline_has() -> None:
    """Between random windows the timeline is unknown, while the table is weighed."""
    result = waits_result(analysis("main R0-500"), recording=Path("run"), report=None)
    assert result.timeline is not None
    thread = replace(result.timeline.threads[0], runs=(("user", 20), ("unknown", 80)))
    drawn = replace(result, timeline=replace(result.timeline, threads=(thread,)))
    before, after = (waits_panel(shown).markup for shown in (result, drawn))
    entry = '<rect class="wait-unknown" width="12"'
    assert (before.count(entry), after.count(entry)) == (0, 1)
