import re

from harness.diagnose.page.timeline import TimelineContent, timeline_section
from tests.harness.diagnose.page.contents import content


def lanes(markup: str) -> list[str]:
    return re.findall(r'lane-name">([^<]*)<', markup)


def timeline(**changes: object) -> str:
    made = content()
    assert made.grid is not None
    values = {
        "grid": made.grid,
        "waits": made.waits,
        "binned": made.binned,
        "on_cpu": made.flames[0].profile,
        "readings": made.readings,
        "reads": made.reads,
        **changes,
    }
    return str(timeline_section(TimelineContent(**values)).markup)  # type: ignore[arg-type]


def test_each_recorded_source_has_a_lane() -> None:
    names = ["Threads by state", "CPU samples", "CPUs busy", "Disk vda busy", "Read of --path"]
    assert lanes(timeline()) == names


def test_sources_that_were_not_recorded_have_none() -> None:
    assert lanes(timeline(binned=None, on_cpu=None, readings=(), reads=())) == []


def test_boxes_stay_inside_of_the_lane() -> None:
    for x, y, width, height in re.findall(
        r'x="([\d.-]+)" y="([\d.-]+)" width="([\d.-]+)" height="([\d.-]+)"', timeline()
    ):
        assert 0 <= float(x) <= float(x) + float(width) <= 1000.2
        assert -0.1 <= float(y) <= float(y) + float(height) <= 40.2
