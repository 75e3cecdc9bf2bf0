"""The panel "CPU slots" and the page of counted slots, as markup."""

import re
from dataclasses import replace
from html.parser import HTMLParser

from harness.topdown.absent_panel import panel_of_profile
from harness.topdown.page import render_slots_page
from harness.topdown.panel import slots_panel
from harness.topdown.result import topdown_result
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

EVIL = "</dd><script>alert(1)</script>\u202e\x1b"


class Words(HTMLParser):
    """Collects tags and texts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def words(markup: str) -> Words:
    result = Words()
    result.feed(markup)
    return result


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


def test_every_text_is_escaped() -> None:
    hostile = replace(
        COUNTED,
        source=EVIL,
        title=EVIL,
        warnings=(EVIL,),
        facts=((EVIL, EVIL),),
        bottleneck_why=EVIL,
        nodes=(replace(COUNTED.nodes[0], name=EVIL, unit=EVIL, warnings=(EVIL,)),),
        bottleneck=(EVIL,),
    )
    page = render_slots_page(
        topdown_result(hostile), title=EVIL, recording_name=EVIL, host={EVIL: EVIL}
    )
    assert words(page).tags.count("script") == 2  # the page's scripts: data, and an empty script
    assert "\u202e" not in page
    assert "\x1b" not in page


def test_the_page_has_no_external_resources_and_no_inline_style() -> None:
    page = render_slots_page(
        topdown_result(SLICED), title="run", recording_name="run", host={"CPU": "x"}
    )
    assert not re.search(r'(?:src|href)="|url\(|@import| style="', page)
    assert "default-src 'none'" in page


def test_the_page_of_a_profile_names_commands_that_count_slots() -> None:
    texts = " ".join(words(panel_of_profile(None)).texts)
    assert "Slots were not counted" in texts
    assert "stallscope topdown -p PID" in texts
