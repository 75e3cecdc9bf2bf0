"""Rows of a tree of slots: widths, missing values, bars."""

import click
import pytest

from harness.cli.terminal import display_width
from harness.topdown.result import topdown_result
from harness.topdown.tree_rows import MARK, RowStyle, bar, rows
from tests.harness.topdown.measurements import COUNTED

NODES = topdown_result(COUNTED).nodes


def printed_lines(width: int, *marked: str) -> list[str]:
    return [click.unstyle(line) for line in rows(NODES, frozenset(marked), RowStyle(1.0, width))]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_rows_fit_the_width_and_keep_every_value(width: int) -> None:
    lines = printed_lines(width)
    assert len(lines) == len(NODES)
    assert any("12.8 %" in line for line in lines)
    assert sum("n/a" in line for line in lines) == 1
    if width >= 60:
        assert max(map(display_width, lines)) <= width


def test_a_narrow_terminal_omits_the_bars_first() -> None:
    assert any("█" in line for line in printed_lines(120))
    assert not any("█" in line for line in printed_lines(45))


def test_marked_rows_end_with_the_mark() -> None:
    lines = printed_lines(80, "Backend_Bound")
    assert [line.split()[0] for line in lines if line.endswith(MARK)] == ["Backend_Bound"]


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, ""), (0.5, "████"), (1.0, "████████"), (2.0, "████████"), (0.55, "████▍")],
)
def test_a_bar_has_eighths_of_a_column(share: float, text: str) -> None:
    assert bar(share, 8) == text
