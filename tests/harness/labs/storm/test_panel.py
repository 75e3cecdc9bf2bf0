"""The panel of a storm."""

from dataclasses import replace

import msgspec

from harness.labs.storm.measurement import StormMeasurement
from harness.labs.storm.panel import panels
from harness.labs.storm.result import StormResult, storm_result


def test_the_panel_escapes_texts_and_draws_plots(result: StormResult) -> None:
    hostile = msgspec.structs.replace(result, verdict_reason="<script>", warnings=("<b>x</b>",))
    panel = panels(hostile)[0].markup
    assert panel.count('<svg class="plot"') == 3
    assert "<script>" not in panel
    assert "<b>x</b>" not in panel
    assert "style=" not in panel


def test_an_interrupted_storm_has_a_panel(storm: StormMeasurement) -> None:
    result = storm_result(replace(storm, rounds=storm.rounds[:3], complete=False))
    assert "<svg" in panels(result)[0].markup
