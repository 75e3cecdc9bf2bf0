"""The tree of slots as text, in wide and narrow terminals."""

from dataclasses import replace

import click
import pytest

from harness.cli.terminal import display_width
from harness.topdown.result import topdown_result
from harness.topdown.text import TreeView, lines, shown_nodes
from tests.harness.topdown.measurements import COUNTED, MISSING, MODELLED, SCALED, UNAVAILABLE, node
from topdown.slots.measurement import COUNTS, MeasuredNode, Measurement

LONGEST_WORD = 30


def text(measurement: Measurement, *, width: int = 110, level: int | None = None) -> list[str]:
    view = TreeView(level, width, str(measurement.kind))
    return [click.unstyle(line) for line in lines(topdown_result(measurement), view)]


def line(rows: list[str], name: str) -> str:
    [result] = [row for row in rows if row.split()[:1] == [name]]
    return result


def test_every_value_has_an_interval_and_a_source() -> None:
    rows = text(COUNTED)
    assert line(rows, "Frontend_Bound").split()[:7] == [
        "Frontend_Bound",
        "12.8",
        "%",
        "[12.4,",
        "13.2]",
        "slots",
        "measured",
    ]
    assert "n/a" in line(rows, "DRAM_Bound")
    assert "unavailable" in line(rows, "DRAM_Bound")
    assert f"no value for DRAM_Bound: {MISSING}" in rows
    assert "IPC        0.79 [0.78, 0.80] instructions per cycle" in rows


def test_the_heading_contains_interval_meaning_and_verification() -> None:
    rows = text(COUNTED)
    assert line(rows, "interval").endswith("multiplexing error only")
    assert "unverified on this CPU" in line(rows, "model")
    assert not [row for row in text(replace(COUNTED, verified=True)) if "unverified" in row]
    assert line(text(replace(COUNTED, interval_label="across 5 runs")), "interval").endswith(
        "across 5 runs"
    )


def test_every_line_with_a_modelled_number_is_marked() -> None:
    for width in (120, 60, 30):
        rows = text(MODELLED, width=width)
        numbers = [row for row in rows if "%" in row and row.split()[0][0].isupper()]
        assert len(numbers) == 8
        assert all("modelled" in row for row in numbers)
        assert "modelled" in " ".join(rows[rows.index(line(rows, "IPC")) :][:3])
        assert not [row for row in rows if row.startswith("model ")]


def test_the_bottleneck_path_is_marked_and_explained() -> None:
    rows = text(COUNTED)
    bottleneck = [row.split()[0] for row in rows if row.endswith("<==")]
    assert bottleneck == ["Backend_Bound", "Memory_Bound", "L3_Bound"]
    assert line(rows, "bottleneck").startswith("bottleneck Backend_Bound > Memory_Bound > L3_Bound")
    assert any(row.startswith("L3_Bound: ") for row in rows)
    assert any(row.startswith("locate: sample on MEM_LOAD_RETIRED.L3_HIT") for row in rows)
    unmarked = replace(COUNTED, bottleneck=None, bottleneck_why="an interval includes 0")
    assert line(text(unmarked), "bottleneck") == "bottleneck none: an interval includes 0"


def test_a_level_cuts_the_path_as_well() -> None:
    rows = text(COUNTED, level=1)
    assert [row.split()[0] for row in rows if row.endswith("<==")] == ["Backend_Bound"]
    assert not [row for row in rows if "L3_Bound:" in row]
    assert list(shown_nodes(topdown_result(COUNTED), 2))[-2:] == ["Core_Bound", "Retiring"]


def test_a_warning_is_printed_once_with_all_its_nodes() -> None:
    rows = text(COUNTED)
    assert [row for row in rows if SCALED in row] == [f"! Fetch_Latency, L3_Bound: {SCALED}"]


@pytest.mark.parametrize("width", [140, 100, 80, 60, 44])
def test_lines_fit_the_terminal(width: int) -> None:
    fixed = 16 + 9 + 15 + 13 + 4  # a short name, value, interval, source and mark are never omitted
    for row in text(COUNTED, width=width):
        assert len(row) <= max(width, fixed, LONGEST_WORD)
    wide, narrow = text(COUNTED, width=140), text(COUNTED, width=60)
    assert "█" in line(wide, "Backend_Bound")
    assert "█" not in line(narrow, "Backend_Bound")
    assert "[54.4, 55.6]" in line(narrow, "Backend_Bound")


def test_impossible_values_are_flagged_and_have_no_bar() -> None:
    wrong = "impossible: more than the whole: a exceeds b"
    nodes = (replace(node("Frontend_Bound", 2.25, warnings=(wrong,)), impossible=True),)
    rows = text(replace(COUNTED, nodes=nodes, bottleneck=None))
    assert "225.0 %!" in line(rows, "Frontend_Bound")
    assert "█" not in line(rows, "Frontend_Bound")
    assert f"! Frontend_Bound: {wrong}" in rows


def test_without_any_value_the_reason_is_in_the_heading() -> None:
    rows = text(UNAVAILABLE)
    assert "caution    this virtual machine has no PMU" in rows
    assert not [row for row in rows if "%" in row and "counted" not in row]
    assert not [row for row in rows if row.startswith(("interval", "bottleneck", "model"))]


def test_control_characters_in_names_are_escaped() -> None:
    hostile = replace(
        COUNTED,
        source="hardware counters of \x1b[31mevil\u202e",
        warnings=("\x1b]0;title\x07",),
        facts=(("\x1b[2J", "\r\nfake line"),),
    )
    for row in text(hostile):
        assert row.isprintable()


def test_a_reason_for_many_counters_is_printed_once() -> None:
    why = "perf_event_open gives ENOENT: this machine has no such event"
    nodes = tuple(
        node(name, None, warnings=(f"{counters}: {why}",))
        for name, counters in (("A", "E1, E2"), ("B", "E1"), ("C", "E3"), ("D", "E3"))
    )
    rows = text(replace(COUNTED, nodes=nodes, bottleneck=None))
    assert sum(why in row for row in rows) == 1
    at = rows.index(f"no value, because {why}:")
    assert rows[at + 1 : at + 4] == ["  A: E1, E2", "  B: E1", "  C, D: E3"]


def test_columns_stay_aligned_with_names_of_wide_characters() -> None:
    nodes = (
        node("Frontend_Bound", 0.25, half=0.01),
        replace(node("\u5e45\u5e45", 0.5, half=0.01), unit="\u5e45\x1b"),
    )
    rows = text(replace(COUNTED, nodes=nodes, bottleneck=None))
    wide, narrow = (
        next(row for row in rows if name in row) for name in ("\u5e45\u5e45", "Frontend")
    )
    assert display_width(wide[: wide.index("[")]) == display_width(narrow[: narrow.index("[")])
    assert display_width(wide[: wide.index("meas")]) == display_width(
        narrow[: narrow.index("meas")]
    )
    assert "\x1b" not in wide


def test_counts_of_requested_events_are_printed_in_full() -> None:
    options = replace(node("page-faults", 181356.0), level=None, unit=COUNTS)
    rows = text(replace(COUNTED, nodes=(*COUNTED.nodes, options)))
    assert line(rows, "page-faults").split() == ["page-faults", "181,356", "events", "measured"]


def test_requested_events_are_printed_at_every_level() -> None:
    options = MeasuredNode("page-faults", None, None, 320.0, COUNTS)
    refused = MeasuredNode("cache-misses", None, None, None, COUNTS, warnings=("it is gone",))
    metrics = [MeasuredNode(f"m{n}", None, None, None, "x", warnings=("gone",)) for n in range(9)]
    result = replace(COUNTED, nodes=(*COUNTED.nodes, options, refused, *metrics))
    for level in (None, 1):
        rows = text(result, level=level)
        assert line(rows, "page-faults").split() == ["page-faults", "320", "events", "measured"]
        assert "no value for cache-misses: it is gone" in rows


def test_general_warnings_are_not_repeated_per_node() -> None:
    first, *others = COUNTED.nodes
    message = replace(first, warnings=("all is assumed",))
    result = replace(COUNTED, nodes=(message, *others), warnings=("all is assumed",))
    assert "\n".join(text(result)).count("all is assumed") == 1


def test_few_metrics_without_a_value_are_named_and_many_counted() -> None:
    def text_with_missing(count: int) -> list[str]:
        absent = tuple(
            replace(node(f"m{at}", None, warnings=(f"E{at}: gone",)), level=None)
            for at in range(count)
        )
        return text(replace(COUNTED, nodes=(*COUNTED.nodes, *absent)))

    assert "no value for m1: E1: gone" in text_with_missing(2)
    assert "no value for 9 nodes that are not shown; --json shows the reasons" in text_with_missing(
        9
    )
