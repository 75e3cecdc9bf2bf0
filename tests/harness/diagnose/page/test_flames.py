from pathlib import Path

from harness.diagnose.page.flames import FlameGraph, flame_data, flame_graphs, flame_section
from harness.profile.time_bins import TimeGrid
from stallscope.recordings import open_recording
from tests.harness.diagnose.page.contents import profile_over
from topdown.waits.weight import Weight

CAPTURE = Path("tests/captures/switches.perf")


def test_a_capture_with_switches_has_three_graphs() -> None:
    graphs = flame_graphs(open_recording(CAPTURE))
    assert [graph.weight for graph in graphs] == [Weight.CPU, Weight.OFF_CPU, Weight.WALL]
    assert graphs[0].profile is not None
    assert graphs[0].profile.times is not None
    assert graphs[0].profile.times.begin_ns > 0
    assert all(graph.profile is not None or graph.missing for graph in graphs)


def test_a_missing_weight_is_a_disabled_button_with_its_reason() -> None:
    graphs = (
        FlameGraph(Weight.CPU, profile_over(1.0, 0)),
        FlameGraph(Weight.WALL, None, "no switches <here>"),
    )
    section = flame_section(graphs)
    assert section.state == ""
    assert 'disabled title="no switches &lt;here&gt;"' in section.markup
    assert [row["name"] for row in flame_data(graphs, TimeGrid(0, 25_000_000, 40))] == ["cpu"]


def test_without_any_graph_the_section_is_one_line() -> None:
    section = flame_section((FlameGraph(Weight.CPU, None, "no samples"),))
    assert section.state == "unavailable"
    assert "no samples" in section.markup
