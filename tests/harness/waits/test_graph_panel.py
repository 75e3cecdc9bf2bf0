from harness.waits.graph_panel import graph_panel
from tests.harness.waits.waits_results import HOSTILE, cause, edge, graph, waits_result


def test_the_panel_has_causes_chains_and_the_graph() -> None:
    markup = str(graph_panel(waits_result()).markup)
    assert "victim -&gt; holder 950 ms -&gt; disk 900 ms" in markup
    assert markup.count('class="wait-node') == 3
    assert markup.count('class="wait-edge"') == 2


def test_hostile_names_are_escaped() -> None:
    result = waits_result(
        causes=(cause("thread", HOSTILE, 5, (HOSTILE, 5), (HOSTILE, 5)),),
        graph=graph(edge(HOSTILE, HOSTILE + "2", 5), knots=((HOSTILE,),), missing=(HOSTILE,)),
    )
    markup = str(graph_panel(result).markup)
    assert "<script" not in markup
    assert "\x1b" not in markup
    assert 'x</script>"' not in markup


def test_a_result_without_causes_and_graph_has_a_panel() -> None:
    markup = str(graph_panel(waits_result(causes=(), graph=None)).markup)
    assert "No wait of a working thread has a recorded cause." in markup
    assert "no wait-for graph" in markup
