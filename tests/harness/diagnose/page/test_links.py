import pytest

from harness.diagnose.page.links import findings_by_panel, panel_of_place, panel_of_source
from tests.harness.diagnose.page.contents import content


@pytest.mark.parametrize(
    ("source", "panel"),
    [
        ("CPU samples", "flame"),
        ("wait-for graph", "causes"),
        ("context switches of the CPUs", "waits"),
        ("futex calls", "locks"),
        ("cpuidle counters, before and after", "sleep-states"),
        ("/sys/block/DISK/stat", "disks"),
        ("reads of --path", "latency"),
        ("/proc/vmstat of the machine", "machine"),
        ("hardware counters", "slots"),
    ],
)
def test_a_source_is_shown_by_a_panel(source: str, panel: str) -> None:
    assert panel_of_source(source) == panel


def test_each_place_has_a_panel() -> None:
    assert panel_of_place("lock") == "locks"
    assert panel_of_place("function") == "flame"
    assert panel_of_place("something new") == "waits"


def test_panels_name_the_findings_that_they_support() -> None:
    numbers = findings_by_panel(content().result.findings)
    assert 1 in numbers["causes"]
