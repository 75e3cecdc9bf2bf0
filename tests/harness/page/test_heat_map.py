"""Heat maps: colours by the logarithm, masked and blank cells."""

import re

from harness.page.heat_map import HeatMap, HeatMapCell, render_heat_map


def heat_map(*rows: tuple[HeatMapCell, ...]) -> HeatMap:
    return HeatMap(
        title="p99 <of> reads",
        x_title="reads/s",
        y_title="writes/s",
        columns=tuple(f"{n} %" for n in range(len(rows[0]))),
        row_names=tuple(f"row {n}" for n in range(len(rows))),
        rows=rows,
        is_time=True,
    )


def cell(value: float | None, reason: str = "") -> HeatMapCell:
    return HeatMapCell(value, reason)


def test_colours_run_from_the_smallest_to_the_largest_value() -> None:
    markup = render_heat_map(heat_map((cell(1e3), cell(1e4), cell(1e5))))
    assert re.findall(r'fill="(#\w+)"/>', markup) == ["#00224e", "#7c7b78", "#fee838"]
    assert "10.0 \u00b5s" in markup
    assert "p99 &lt;of&gt; reads" in markup


def test_equal_values_have_one_colour() -> None:
    markup = render_heat_map(heat_map((cell(1e3), cell(1e3))))
    assert len(set(re.findall(r'fill="(#\w+)"/>', markup))) == 1


def test_a_masked_cell_shows_its_reason_and_a_blank_one_nothing() -> None:
    rows = (cell(None, "missed <its> load"), HeatMapCell(None, "", is_blank=True), cell(5.0))
    markup = render_heat_map(heat_map(rows))
    assert markup.count('class="heat-masked"') == 1
    assert "missed &lt;its&gt; load" in markup


def test_the_first_row_is_at_the_bottom() -> None:
    markup = render_heat_map(heat_map((cell(1.0),), (cell(2.0),)))
    assert markup.index("row 1") < markup.index("row 0")
