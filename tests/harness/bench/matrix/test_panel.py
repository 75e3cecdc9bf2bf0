"""The panel has a table and a graph per data set."""

from harness.bench.matrix.panel import matrix_panel
from harness.bench.matrix.sections import sections
from tests.harness.bench.matrix.test_sections import matrix_result


def test_each_data_set_has_rows_and_a_graph_and_the_node_has_rows() -> None:
    markup = str(matrix_panel(sections(matrix_result(), "<box>"), {"CPU": "model 1"}).markup)
    assert markup.index("model 1") < markup.index("cluster:loop dataset:small")
    assert markup.count("<table") == 3
    assert markup.count("<svg") == 2
    assert "node:&lt;box&gt;" in markup
    assert "3,333,333" in markup  # requests/s of a connection
