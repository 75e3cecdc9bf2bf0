"""The document of the footprint sweep."""

import json
from dataclasses import replace
from pathlib import Path

from harness.labs.stages.options import StagesOptions
from harness.labs.stages.sweep.plan import footprint_options
from harness.labs.stages.sweep.result import SweepResult, sweep_result
from stallscope.documents import decode, encode
from tests.documents import assert_valid
from tests.harness.labs.stages.sweep.sweeps import point, sweep


def test_the_document_is_valid_and_decodes_to_the_result(tmp_path: Path) -> None:
    result = sweep_result(sweep(tmp_path))
    text = encode(result)
    assert decode(text, SweepResult, "sweep.json") == result
    assert_valid("lab.stages.sweep", text)
    document = json.loads(text)
    assert document["schema"] == "stallscope.lab.stages.sweep/1"
    assert (document["best_footprint_kb"], document["pays_from_kb"]) == (512, 64)
    first = document["footprints"][0]
    assert (first["footprint_kb"], first["stage_kb"], first["max_batch"]) == (8, 8, None)
    assert first["icache_misses_per_request"] == {"unstaged": 1000.0, "staged": 200.0}
    assert [row["max_batch"] for row in document["batches"]] == [1, 4, 64]


def test_points_limited_by_the_loader_and_an_interruption_are_noted(tmp_path: Path) -> None:
    options = footprint_options(StagesOptions("codec", tmp_path), 8)
    limited = (point(options, 1.0, loader_limit="its core is full"),)
    whole = replace(sweep(tmp_path), footprints=limited, interrupted=True)
    result = sweep_result(whole)
    assert result.notes[0].startswith("Interrupted after 1 of 9 footprints")
    assert "At 8 KB the loader was the bottleneck" in result.notes[-1]
    assert result.footprints[0].gain_by == "requests per CPU second"
