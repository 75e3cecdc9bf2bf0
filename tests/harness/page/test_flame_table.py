"""Tables of a page: escaped texts, bars within 0 and 1."""

import re

import pytest

from harness.page.flame_table import Cell, table


def test_texts_are_escaped() -> None:
    markup = table([Cell("<b>")], [[Cell("a & <script>", "name")]])
    assert "&lt;b&gt;" in markup
    assert '<td class="name">a &amp; &lt;script&gt;</td>' in markup


@pytest.mark.parametrize(("share", "width"), [(0.25, "25.00"), (7.0, "100.00"), (-1.0, "0.00")])
def test_a_bar_stays_within_its_cell(share: float, width: str) -> None:
    markup = table([Cell("Share")], [[Cell("x", "", share)]])
    assert re.findall(r'class="bar-self" width="([^"]*)"', markup) == [width]


def test_a_cell_without_a_share_has_no_bar() -> None:
    assert "<svg" not in table([Cell("Share")], [[Cell("x")]])
