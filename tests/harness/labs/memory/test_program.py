"""The measuring program behind the lab: what it writes is checked, its end understood."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.labs.memory import program as memory_program
from harness.labs.memory.experiment import LabProgress, run_lab
from harness.labs.memory.plan import LabOptions, Section, make_plan
from harness.labs.memory.points import LeftOut, Measured, Pages, Point
from harness.labs.memory.program import Pace, run_points
from stallscope import __version__
from stallscope.errors import RecordingError, UnableError
from tests.harness.labs.memory.results import GIB, MIB, machine

POINT = Point(64, 64, Pages.SMALL, (0,))
PACE = Pace(1, 100_000)
HELLO = json.dumps({"event": "hello", "version": __version__})
THREAD = {
    "latency_ns": [2.0, 1.0],
    "pages": {"kind": "small", "huge_bytes": 0, "page_bytes": 4096},
    "pages_by_node": {"0": 1},
    "counts_per_step": {"cycles": None},
    "counters_refused": {"cycles": "No such file or directory"},
}
FOUND = json.dumps({"event": "point", "index": 0, "threads": [THREAD]})
Script = Callable[[str], None]


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """A function that puts a shell script in the program's place."""

    def place(body: str) -> None:
        path = tmp_path / "program"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        monkeypatch.setattr(memory_program, "program", lambda _: path)

    return place


def written(points: tuple[Point, ...] = (POINT,)) -> list[Measured | LeftOut]:
    found: list[Measured | LeftOut] = []
    run_points(points, PACE, found.append)
    return found


def test_points_are_passed_on_as_they_come(script: Script) -> None:
    skipped = json.dumps({"event": "skipped", "index": 1, "why": "no such node"})
    script(f"cat >/dev/null; echo '{HELLO}'; echo '{FOUND}'; echo '{skipped}'")
    first, second = written((POINT, POINT))
    assert isinstance(first, Measured)
    assert (first.least_ns, first.median_ns, first.most_ns) == (1.0, 1.5, 2.0)
    assert second == LeftOut(POINT, "no such node")


def test_the_plan_reaches_the_program(script: Script, tmp_path: Path) -> None:
    script(f"cat >{tmp_path}/plan")
    assert written() == []
    plan = json.loads((tmp_path / "plan").read_text())
    assert plan["points"] == [
        {"lines": 64, "stride_bytes": 64, "pages": "small", "cpus": [0], "node": None}
    ]


def test_without_points_nothing_is_started(script: Script) -> None:
    script("exit 3")
    assert written(()) == []


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (
            "echo 'stallscope-memory: error: cannot map' >&2; exit 3",
            "stallscope-memory: cannot map",
        ),
        ("exit 7", "it ended with status 7"),
        ("kill -SEGV $$", "it ended with status -11"),
        ("echo nonsense", "no JSON"),
        ("""echo '{"event": "hello", "version": "9.9"}'""", "is version 9.9"),
        (
            """echo '{"event": "point", "index": 5, "threads": []}'""",
            "point 5, which was not asked",
        ),
        ("""echo '{"event": "point", "index": 0, "threads": []}'""", "without a latency"),
    ],
)
def test_what_goes_wrong_is_one_error(script: Script, body: str, says: str) -> None:
    script(body)
    with pytest.raises(UnableError, match=says):
        written()


@pytest.mark.parametrize("latency", ['["1"]', "[null]", "{}", "[NaN]"])
def test_a_latency_that_is_no_number_is_refused(script: Script, latency: str) -> None:
    line = FOUND.replace("[2.0, 1.0]", latency)
    script(f"cat >/dev/null; echo '{line}'")
    with pytest.raises(RecordingError, match="latency_ns"):
        written()


def test_an_interrupted_lab_keeps_what_it_has(script: Script) -> None:
    script(f"cat >/dev/null; echo '{FOUND}'; kill -INT $$")
    parts = make_plan(machine(), LabOptions(quick=True), 200 * MIB)
    told: list[LabProgress] = []
    results = run_lab(machine(), parts, limit_bytes=GIB, on_progress=told.append)
    assert results.interrupted
    (curve,) = results.sections
    assert len(curve.measured) == len(told) == 1
    assert curve.note == "interrupted"
    assert results.section(Section.THREADS).note == "interrupted before it"


def test_what_was_written_before_an_interrupt_is_read(script: Script) -> None:
    # All in one write, so that the end of the program takes none of it away.
    script(f"cat >/dev/null; printf '%s\\n' '{FOUND}' '{FOUND}' '{FOUND}' '{FOUND[:40]}'")
    found: list[Measured | LeftOut] = []

    def interrupted_at_the_first(each: Measured | LeftOut) -> None:
        found.append(each)
        if len(found) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_points((POINT,), PACE, interrupted_at_the_first)
    assert len(found) == 3


def test_progress_reaches_the_end(script: Script) -> None:
    script(f"cat >/dev/null; echo '{FOUND}'")
    parts = make_plan(machine(), LabOptions(quick=True, threads=(1,)), GIB)[:1]
    told: list[LabProgress] = []
    run_lab(machine(), parts, limit_bytes=GIB, on_progress=told.append)
    assert 0 < told[-1].share <= 1
    assert told[-1].left_s >= 0
