"""The page of the stages lab."""

from dataclasses import replace
from pathlib import Path

from harness.labs.stages.measurement import SlotTrees, StagesMeasurement
from harness.labs.stages.page_files import page_data
from harness.labs.stages.panel import render_page
from harness.labs.stages.plan import Side
from harness.labs.stages.result import stages_result
from tests.harness.labs.stages.measurements import SETTINGS, measurement, write_empty_logs
from tests.harness.topdown.measurements import COUNTED


def page_of(lab: StagesMeasurement) -> str:
    write_empty_logs(lab)
    return render_page(stages_result(lab), page_data(lab))


def test_the_page_has_every_part_and_escapes_names(tmp_path: Path) -> None:
    page = page_of(measurement(tmp_path))
    assert "Verdict: gain" in page
    assert "Model &lt;b&gt;X" in page
    assert "<b>X" not in page
    assert "full page with" not in page
    assert "refused" in page  # why there are no flame graphs
    assert page.count('class="number better"') > 4


def test_the_page_shows_slots_and_machine_settings(tmp_path: Path) -> None:
    slots = SlotTrees(dict.fromkeys(Side, COUNTED))
    page = page_of(replace(measurement(tmp_path), slots=slots, settings=SETTINGS))
    assert "12.8 %" in page
    assert page.count('slots-marked">31.0 % ◀') == 2
    assert "CPU slots of both sides" in page
    assert "C1 40 entries, C6 9 entries; governor menu; latency limit unknown" in page
    assert "no cpufreq" in page
