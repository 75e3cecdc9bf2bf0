"""What a matrix's document, text, panel and maps say; the document as strangers may have it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from harness.io.mix.document import MixMeasurement, mix_document
from harness.io.mix.panel import mix_panel
from harness.io.mix.picture import mix_picture
from harness.io.mix.shown import MixShown, mix_shown
from harness.io.mix.text import lines
from ioprobe.mix.measurement import measure_mix
from ioprobe.mix.plan import MixPlan
from stallscope.errors import RecordingError
from stallscope.json_fields import Fields
from tests.ioprobe.mix_model import MixModel


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    mix = measure_mix(MixPlan(), MixModel().measure, lambda progress: None)  # noqa: ARG005
    made = mix_document(MixMeasurement("/srv/<db>", True, mix, {"a": "<b>"}, ["x <i>"], 60.0))
    found: dict[str, Any] = json.loads(json.dumps(made, allow_nan=False))
    return found


def shown(document: dict[str, Any]) -> MixShown:
    return mix_shown(Fields(document, "mix.json"))


def test_the_document_has_every_cell_and_masks_with_a_reason(document: dict[str, Any]) -> None:
    assert document["schema"] == "stallscope.io.mix/1"
    assert len(document["cells"]) == 35
    for cell in document["cells"]:
        masked = cell["outcome"] != "kept"
        assert masked == bool(cell["why"])
        assert masked == (cell["bytes_per_s"] is None)
    missed = [cell for cell in document["cells"] if cell["outcome"] == "missed"]
    assert missed[0]["got_per_s"] < 0.97 * (missed[0]["reads_per_s"] + missed[0]["writes_per_s"])


def test_maps_of_rates_and_of_sizes(document: dict[str, Any]) -> None:
    maps = shown(document).maps
    assert [one.title for one in maps[:5]] == [
        "p50 of reads", "p99 of reads", "p50 of writes", "p99 of writes", "bandwidth",
    ]  # fmt: skip
    assert [one.title for one in maps[5:]] == [
        "p50 of reads by size", "p99 of reads by size", "bandwidth of reads by size",
        "p50 of writes by size", "p99 of writes by size", "bandwidth of writes by size",
    ]  # fmt: skip
    assert maps[0].columns == ("0", "20,000", "40,000", "60,000", "80,000", "95,000")
    assert maps[0].rows[0][0].why == "no load"
    assert maps[0].rows[1][0].why == "no such requests"
    assert maps[0].rows[5][5].why == "a cell with less load missed"
    assert maps[5].row_names == ("4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB")


def test_the_table(document: dict[str, Any]) -> None:
    told = list(lines(shown(document), 100))
    assert told[0] == "Reads and writes together on /srv/<db>: 4 KiB at random, modelled"
    assert told[2] == "At most 100,000 reads/s alone and 40,000 writes/s alone"
    assert max(map(len, told)) <= 100
    assert any("cells not tried" in line for line in told)


def test_the_panel_escapes_and_says_why_a_cell_is_masked(document: dict[str, Any]) -> None:
    panel = mix_panel(shown(document))
    assert panel.count("<svg") == 11
    assert "<i>" not in panel
    assert "<title>a cell with less load missed</title>" in panel
    assert 'fill="#' in panel
    assert "style=" not in panel


def test_reads_alone_have_maps_of_sizes_only() -> None:
    mix = measure_mix(MixPlan(writes=False), MixModel().measure, lambda progress: None)  # noqa: ARG005
    made = mix_document(MixMeasurement("x", True, mix, {}, [], 1.0))
    assert [one.title for one in shown(json.loads(json.dumps(made))).maps] == [
        "p50 of reads by size", "p99 of reads by size", "bandwidth of reads by size",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"cells": 3},
        {"cells": [{"outcome": 1}]},
        {"sizes": [{"kind": "reads", "block_bytes": -1, "cells": []}]},
        {"shares": ["x"]},
        {"block_bytes": None},
        {"complete": "yes"},
    ],
)
def test_damaged_documents_are_refused(document: dict[str, Any], change: dict[str, Any]) -> None:
    with pytest.raises(RecordingError):
        shown(document | change)


def test_numbers_that_no_run_gives_are_drawn_as_masked(document: dict[str, Any]) -> None:
    first = document["cells"][0] | {"bytes_per_s": -1.0, "outcome": "kept", "why": ""}
    assert "<svg" in mix_panel(shown(document | {"cells": [first]}))


def test_the_picture_draws_what_is_there_and_leaves_masked_cells(document: dict[str, Any]) -> None:
    one = replace(shown(document), maps=shown(document).maps[:1])
    drawn = mix_picture(one, "svg").decode()
    assert drawn.startswith("<?xml")
    assert "p50 of reads" in drawn
    assert one.maps[0].text(one.maps[0].values[0]) in drawn
