from harness.bench.compare.panel import panels
from tests.harness.bench.compare.samples import result


def test_names_are_escaped_and_what_was_not_read_is_shown():
    markup = panels(result())[0].markup
    assert "Get&lt;i&gt;" in markup
    assert "x:3: missing units" in markup
    assert "+100.00%" in markup


def test_a_result_without_changes_has_no_picture():
    assert "<svg" not in panels(result(rows=()))[0].markup
