"""The runs of a storm: every setting once per round, in alternating order."""

from dataclasses import replace

import pytest

from harness.labs.storm.options import REFERENCE_LIMIT, StormOptions
from harness.labs.storm.plan import READER_ALONE, runs, settings, writing_s
from ioprobe.storm import StormSetting
from tests.harness.labs.storm.storms import OPTIONS


def test_rounds_have_every_setting_once_and_alternate() -> None:
    order = settings(OPTIONS, 9)
    plan = runs(OPTIONS, 9)
    assert len(set(order)) == len(order) == 9
    assert READER_ALONE in order
    assert order[-2:] == (
        StormSetting(REFERENCE_LIMIT, OPTIONS.shares),
        StormSetting(9, OPTIONS.shares),
    )
    assert tuple(run.setting for run in plan[:9]) == order
    assert tuple(run.setting for run in plan[9:18]) == order[::-1]
    assert len({run.id for run in plan}) == len(plan) == 9 * OPTIONS.rounds


def test_a_recommended_limit_from_the_list_is_measured_once() -> None:
    assert settings(OPTIONS, 8).count(StormSetting(8, OPTIONS.shares)) == 1
    assert settings(OPTIONS, REFERENCE_LIMIT).count(StormSetting(REFERENCE_LIMIT, None)) == 1


def test_the_writing_time_covers_rounds_and_trial() -> None:
    options = replace(OPTIONS, duration_s=1.0)
    with_limit = replace(options, recommended=9)
    assert writing_s(with_limit) == pytest.approx(5 * 8 * 1.2)
    assert writing_s(options) > writing_s(with_limit)


def test_the_server_is_compared_with_no_limit() -> None:
    """Compaction never has more than 128 requests outstanding, so that limit has no effect."""
    options = StormOptions(path=".", server=True)
    order = settings(options, 8)
    assert order[-2:] == (StormSetting(None, options.shares), StormSetting(8, options.shares))
    assert len(set(order)) == len(order) == 6
