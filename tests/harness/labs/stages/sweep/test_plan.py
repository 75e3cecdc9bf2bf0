"""The points of the sweep."""

from pathlib import Path

import pytest

from harness.labs.stages.options import StagesOptions
from harness.labs.stages.sweep.plan import (
    FOOTPRINTS_KB,
    batch_options,
    check_sweep,
    expected_s,
    footprint_options,
)
from stallscope.errors import UsageError

OPTIONS = StagesOptions("codec", Path("out"), pairs=5, duration_s=0.7, warmup_s=0.3)


def test_a_stage_is_at_most_as_large_as_the_footprint() -> None:
    assert [footprint_options(OPTIONS, kb).stage_kb for kb in (8, 16, 2048)] == [8, 13, 13]
    point = batch_options(OPTIONS, 512, 4)
    assert (point.footprint_kb, point.max_batch, point.loads) == (512, 4, ())
    assert (point.duration_s, batch_options(OPTIONS, 2048, 4).duration_s) == (0.7, 4 * 0.7)
    assert point.output == Path("out/points/batch-4")


def test_the_footprints_reach_from_8_kb_to_2_mb_in_some_minutes() -> None:
    assert (FOOTPRINTS_KB[0], FOOTPRINTS_KB[-1]) == (8, 2048)
    assert 120 < expected_s(OPTIONS) < 420


def test_other_paths_and_fixed_footprints_are_refused() -> None:
    check_sweep(OPTIONS)
    with pytest.raises(UsageError, match="path kv does not have"):
        check_sweep(StagesOptions("kv", Path("out")))
    with pytest.raises(UsageError, match="varies --footprint-kb"):
        check_sweep(StagesOptions("codec", Path("out"), footprint_kb=64))
