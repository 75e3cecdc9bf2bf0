"""What a curve's document, text and panel say; the document as strangers may have it."""

import json
from dataclasses import replace

import pytest

from harness.io.curve.document import curve_document
from harness.io.curve.panel import FOLDER, STYLES, curve_panel
from harness.io.curve.shown import curve_shown
from harness.io.curve.text import lines
from harness.io.page import render_io_page
from harness.page.panels import Panel
from stallscope.errors import RecordingError
from stallscope.json_fields import Fields
from tests.harness.io.curve.measurements import measurement
from tests.ioprobe.server_model import ServerModel


def document(**plan: object) -> dict[str, object]:
    return json.loads(json.dumps(curve_document(measurement(**plan)), allow_nan=False))


def test_the_document_that_scripts_rely_on() -> None:
    found = document(slo_p99_ns=1e9)
    assert found["schema"] == "stallscope.io.curve/1"
    assert found["recommended"] == {
        "latency_optimal": 12,
        "knee": 12,
        "slo": found["points"][-1]["depth"],
    }
    assert found["verdict"] == "clear knee"
    eight = next(point for point in found["points"] if point["depth"] == 8)
    assert eight["ok"] is True
    assert eight["iops"] == pytest.approx(8000, rel=0.05)
    assert list(eight["latency_ns"]) == [
        "min",
        "mean",
        "p50",
        "p90",
        "p99",
        "p99.9",
        "p99.99",
        "max",
    ]
    assert found["io_properties"] == {
        "mountpoint": "/srv/<db>", "read_iops": 12000, "read_bandwidth": 300000000,
    }  # fmt: skip


def test_what_was_masked_is_null_with_its_reason() -> None:
    def spoil(one):
        return replace(one, failed=("Little's law",)) if one.depth == 4 else one

    found = curve_document(measurement(ServerModel(8, alter=spoil)))
    four = next(point for point in found["points"] if point["depth"] == 4)  # type: ignore[attr-defined]
    assert (four["ok"], four["iops"], four["latency_ns"]) == (False, None, None)
    assert four["masked"] == ["Little's law"]
    told = "\n".join(lines(curve_shown(Fields(json.loads(json.dumps(found)), "x")), 100))
    assert "masked at depth 4: Little's law" in told


def test_nothing_good_is_still_a_document() -> None:
    bad = ServerModel(8, alter=lambda one: replace(one, failed=("a check",)))
    found = json.loads(json.dumps(curve_document(measurement(bad)), allow_nan=False))
    assert found["recommended"] == {"latency_optimal": None, "knee": None, "slo": None}
    assert found["verdict"] == "no verdict"
    shown = curve_shown(Fields(found, "curve.json"))
    assert "masked" in "\n".join(lines(shown, 100))
    assert "masked" in curve_panel(shown)


def test_the_table_marks_the_depths_with_a_name() -> None:
    shown = curve_shown(Fields(document(slo_p99_ns=8e6), "curve.json"))
    told = list(lines(shown, 120))
    assert told[0].startswith("Response curve of /srv/<db>: 4 KiB random reads, modelled")
    (row,) = [line for line in told if line.startswith("12 ")]
    assert row.endswith("latency-optimal, knee")
    assert max(map(len, told)) <= 120
    assert any(line.startswith("clear knee: 12 requests in flight") for line in told)
    assert not any("█" in line for line in lines(shown, 90))


def test_the_panel_escapes_and_draws() -> None:
    shown = curve_shown(Fields(document(slo_p99_ns=8e6), "curve.json"))
    panel = curve_panel(shown)
    page = render_io_page(
        [Panel(panel, [(FOLDER, STYLES)])], title="<t>", recording_name="r", source="s", facts={}
    )
    assert "<b>clear knee</b>" in panel
    assert "a note &lt;b&gt;" in panel
    assert panel.count("<figure>") == 2
    assert panel.count('class="plot-line curve-mark mark-') == 6
    assert "<t>" not in page
    assert ".curve-mark" in page


@pytest.mark.parametrize(
    "change",
    [
        {"points": 3},
        {"points": [{"depth": "x"}]},
        {"recommended": {"knee": -1}},
        {"findings": [{"verdict": 1}]},
        {"path": None},
        {"facts": {"a": 1}},
        {"most_iops": "many"},
        {"intervals": {"knee": "x"}},
    ],
)
def test_damaged_documents_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(RecordingError):
        curve_shown(Fields(document() | change, "curve.json"))


@pytest.mark.parametrize("room", [70, 80, 100, 200])
def test_the_rows_fit_the_terminal_with_the_names_of_depths(room: int) -> None:
    told = list(lines(curve_shown(Fields(document(), "x")), room))
    assert max(map(len, told)) <= room
    assert any("least-most" in line for line in told) == (room == 200)
    assert any(line.endswith("latency-optimal, knee") for line in told)
