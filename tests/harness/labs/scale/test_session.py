"""The scale lab's points, and what is told of them."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.labs.scale.plan import Axis, Point, ScaleOptions, doubling, runs
from harness.labs.scale.result import (
    ScaleResults,
    ScaleRun,
    csv_lines,
    lines,
    notes,
    scale_document,
)
from harness.labs.scale.session import check_outputs
from stallscope.errors import UsageError
from tests.harness.labs.stages.results import CORES, SETTINGS

OPTIONS = ScaleOptions("kv", connections=(1, 2, 4), threads=(1, 2), rounds=3)


def results(limited_by: str = "") -> ScaleResults:
    found = tuple(
        ScaleRun(point, 1_000.0 * point.n + number, limited_by) for number, point in runs(OPTIONS)
    )
    return ScaleResults(OPTIONS, CORES, found, frozenset({Point(Axis.THREADS, 2)}), False)


@pytest.mark.parametrize(("most", "points"), [(1, (1,)), (2, (1, 2)), (6, (1, 2, 4, 6))])
def test_points_double_up_to_the_last(most: int, points: tuple[int, ...]) -> None:
    assert doubling(most) == points


def test_every_round_has_every_point_to_and_fro() -> None:
    planned = list(runs(OPTIONS))
    assert len(planned) == 15
    assert [point for _, point in planned[:5]] == list(OPTIONS.points)
    assert [point for _, point in planned[5:10]] == list(OPTIONS.points)[::-1]


def test_each_thread_has_connections_enough() -> None:
    assert OPTIONS.connections_of(Point(Axis.THREADS, 2)) == 32
    assert OPTIONS.threads_of(Point(Axis.CONNECTIONS, 4)) == 1


def test_csv_is_ready_for_a_fit() -> None:
    rows = list(csv.DictReader(csv_lines(results())))
    assert [(row["axis"], row["N"], row["X"]) for row in rows][:2] == [
        ("connections", "1", "1001"),
        ("connections", "2", "2001"),
    ]
    assert [row["shared_cpu"] for row in rows] == ["0", "0", "0", "0", "1"]


def test_the_document_has_n_and_x() -> None:
    document = json.loads(json.dumps(scale_document(results())))
    assert document["schema"] == "stallscope.lab.scale/1"
    point = document["points"][-1]
    assert (point["axis"], point["N"], point["X"], point["shared_cpu"]) == (
        "threads", 2, 2001, True,
    )  # fmt: skip
    assert len(point["runs"]) == 3


def test_what_says_nothing_of_the_server_is_marked() -> None:
    text = "\n".join(lines(results("its core is full"), 100))
    assert "2*" in text
    assert "loader's CPU" in text
    assert "its core is full" in text
    assert any("a fit of three parameters wants six" in note for note in notes(results()))


def test_what_it_ran_under_is_told() -> None:
    assert scale_document(results())["settings"] is None
    found = replace(results(), settings=SETTINGS)
    assert "Less repeatable: C6 open (170 us), entered 9 times." in notes(found)
    document = json.loads(json.dumps(scale_document(found), allow_nan=False))
    assert document["settings"]["idle_governor"] == "menu"


def test_outputs_of_other_kinds_are_refused(tmp_path: Path) -> None:
    check_outputs((tmp_path / "x.csv", tmp_path / "x.json"))
    for path in (tmp_path / "x.svg", tmp_path / "none" / "x.csv"):
        with pytest.raises(UsageError):
            check_outputs((path,))
