"""The panel "CPU slots" and the page of counted slots, as markup."""

import re
from dataclasses import replace

from harness.topdown.panel import slots_panel
from harness.topdown.result import topdown_result
from tests.harness.topdown.markup import words
from tests.harness.topdown.measurements import (
    COUNTED,
    MISSING,
    MODELLED,
    SLICED,
    UNAVAILABLE,
    node,
    slices,
)
from topdown.slots.measurement import Measurement


def cells(measurement: Measurement) -> list[list[str]]:
    body = slots_panel(topdown_result(measurement)).split("<tbody>")[1].split("</tbody>")[0]
    return [
        [re.sub("<[^>]*>", "", cell) for cell in re.findall("<td.*?</td>", row)]
        for row in re.findall("<tr.*?</tr>", body)
    ]


def test_the_tree_has_value_interval_unit_and_source() -> None:
    rows = {row[0].removesuffix(" ◀"): row[1:] for row in cells(COUNTED)}
    assert rows["Backend_Bound"] == ["55.0 %", "", "[54.4, 55.6]", "slots", "measured"]
    assert rows["DRAM_Bound"] == ["n/a", "", "", "slots", "unavailable"]
    bottleneck = [row[0] for row in cells(COUNTED) if row[0].endswith("◀")]
    assert bottleneck == ["Backend_Bound ◀", "Memory_Bound ◀", "L3_Bound ◀"]
    assert {row[-1] for row in cells(MODELLED)} == {"modelled", "unavailable"}
    legend = (
        slots_panel(topdown_result(MODELLED)).split('class="slots-legend"')[1].split("</ul>")[0]
    )
    assert legend.count("modelled</li>") == 4


def test_heading_and_reasons_are_on_the_page() -> None:
    texts = " ".join(words(slots_panel(topdown_result(COUNTED))).texts)
    for expected_text in (
        "unverified on this CPU",
        "multiplexing error only",
        MISSING,
        "the NMI watchdog",
    ):
        assert expected_text in texts
    assert "this virtual machine has no PMU" in " ".join(
        words(slots_panel(topdown_result(UNAVAILABLE))).texts
    )


def test_time_is_drawn_with_its_gap() -> None:
    drawn = slots_panel(topdown_result(SLICED)).split('class="slots-time"')[1].split("</svg>")[0]
    assert drawn.count("slot-backend") == 20
    assert drawn.count("slot-bad") == 19
    many = slots_panel(topdown_result(replace(SLICED, slices=slices(5000))))
    assert many.split('class="slots-time"')[1].split("</svg>")[0].count("<rect") <= 600 * 4
    assert "each step is the mean of 9" in many


def test_an_impossible_value_is_flagged_and_not_drawn() -> None:
    wrong = replace(node("Frontend_Bound", 3.0), impossible=True)
    panel = slots_panel(topdown_result(replace(COUNTED, nodes=(wrong,), bottleneck=None)))
    assert "300.0 %!" in panel
    assert 'width="0.00"' in panel
    assert 'class="slots-all"' in panel
    assert "<rect" not in panel.split('class="slots-all"')[1].split("</svg>")[0]
