"""Change points against made series in the repository, and annotated ones that are not in it."""

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

from stallscope.statistics.change_points import change_points

MARGIN = 5
ANNOTATED = "STALLSCOPE_CHANGE_POINTS"  # a folder with annotations.json and the annotated series


def matched(true: Iterable[int], predicted: Iterable[int]) -> int:
    """The number of true points, in ascending order, that have an unused prediction within MARGIN."""
    unused = set(predicted)
    count = 0
    for point in sorted(true):
        near = [other for other in unused if abs(other - point) <= MARGIN]
        if near:
            unused.remove(min(near, key=lambda other: (abs(other - point), other)))
            count += 1
    return count


def f1(annotators: Sequence[Sequence[int]], predicted: Iterable[int]) -> float:
    """The F1 score of van den Burg and Williams, An evaluation of change point detection algorithms, 2020."""
    positions = {0, *predicted}
    sets = [{0, *points} for points in annotators]
    precision = matched(set().union(*sets), positions) / len(positions)
    recall = sum(matched(points, positions) / len(points) for points in sets) / len(sets)
    return 2 * precision * recall / (precision + recall)


def indexes(values: Sequence[float]) -> list[int]:
    return [change.index for change in change_points(values)]


def test_the_score_has_known_answers():
    assert f1([[10, 20], [11, 20], [10], [0, 5]], [10, 20]) == pytest.approx(1)
    assert f1([[], [10], [50]], [10]) == pytest.approx(0.90909, abs=1e-5)
    assert f1([[], [10], [50]], []) == pytest.approx(0.8)


def test_made_series_score_better_than_the_best_known_detector():
    series = json.loads((Path(__file__).parent / "change_points/synthetic.json").read_text())
    scores = [f1([entry["changes"]], indexes(entry["values"])) for entry in series.values()]
    assert sum(scores) / len(scores) > 0.917  # Otava, window 30, p 0.001


def test_annotated_series_score_better_than_the_best_known_detector():
    folder = os.environ.get(ANNOTATED)
    if not folder:
        pytest.skip(f"needs annotated series: {ANNOTATED} names no folder")
    annotations = json.loads((Path(folder) / "annotations.json").read_text())
    scores = []
    for name, annotators in annotations.items():
        raw = json.loads((Path(folder) / f"{name}.json").read_text())["series"][0]["raw"]
        values = np.array([np.nan if value is None else value for value in raw], dtype=float)
        known = np.flatnonzero(~np.isnan(values))
        values = np.interp(np.arange(len(values)), known, values[known])
        scores.append(f1(list(annotators.values()), indexes(values)))
    assert sum(scores) / len(scores) > 0.663  # t window of 24 values


def test_a_step_is_found_with_its_levels():
    values = np.random.default_rng(1).normal(100, 1, 80)
    values[50:] += 5
    (change,) = change_points(values)
    assert abs(change.index - 50) <= 1
    assert (change.before, change.after) == (
        pytest.approx(100, abs=0.6),
        pytest.approx(105, abs=0.6),
    )


@pytest.mark.parametrize("values", [[], [1.0], [5.0] * 100, [1.0, 2.0] * 3])
def test_short_and_constant_series_have_no_change(values):
    assert change_points(values) == []


def test_slow_drift_and_single_outliers_are_not_changes():
    noise = np.random.default_rng(3).normal(0, 1, 300)
    assert indexes(noise + np.linspace(0, 3, 300)) == []
    noise[[40, 90, 200]] += 50
    assert indexes(noise) == []


def test_the_scale_of_the_values_is_irrelevant():
    values = np.random.default_rng(4).normal(100, 1, 120)
    values[60:] += 4
    assert indexes(values) == indexes(values * 1e-9) == indexes(values * 1e12)
