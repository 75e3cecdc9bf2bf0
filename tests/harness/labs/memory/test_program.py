"""The measuring program: its lines and its exit status."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.labs.memory import program as memory_program
from harness.labs.memory.measurement import MemoryProgress, measure_memory
from harness.labs.memory.options import MemoryOptions
from harness.labs.memory.plan import Section, make_plan
from harness.labs.memory.points import Pages, PointReading, RingPoint, SkippedPoint
from harness.labs.memory.program import PointResult, Repeats, run_points
from stallscope import __version__
from stallscope.errors import UnableError
from tests.harness.labs.memory.measurements import GIB, MIB, machine

POINT = RingPoint(64, 64, Pages.SMALL, (0,))
REPEATS = Repeats(1, 100_000)
HELLO = json.dumps({"event": "hello", "version": __version__})
THREAD = {
    "latency_ns": [2.0, 1.0],
    "pages": {"kind": "small", "huge_bytes": 0, "page_bytes": 4096},
    "pages_by_node": {"0": 1},
    "counts_per_step": {"cycles": None},
    "counters_refused": {"cycles": "No such file or directory"},
}
READING = json.dumps({"event": "point", "index": 0, "threads": [THREAD]})
Script = Callable[[str], None]


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """A function that replaces the program with a shell script."""

    def install(body: str) -> None:
        path = tmp_path / "program"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        monkeypatch.setattr(memory_program, "program", lambda _: path)

    return install


def run(points: tuple[RingPoint, ...] = (POINT,)) -> list[PointResult]:
    results: list[PointResult] = []
    run_points(points, REPEATS, results.append)
    return results


def test_every_result_is_passed_on(script: Script) -> None:
    skipped = json.dumps({"event": "skipped", "index": 1, "why": "no such node"})
    script(f"cat >/dev/null; echo '{HELLO}'; echo '{READING}'; echo '{skipped}'")
    first, second = run((POINT, POINT))
    assert isinstance(first, PointReading)
    assert (first.least_ns, first.median_ns, first.most_ns) == (1.0, 1.5, 2.0)
    assert second == SkippedPoint(POINT, "no such node")


def test_the_plan_reaches_the_program(script: Script, tmp_path: Path) -> None:
    script(f"cat >{tmp_path}/plan")
    assert run() == []
    plan = json.loads((tmp_path / "plan").read_text())
    assert plan["points"] == [
        {"lines": 64, "stride_bytes": 64, "pages": "small", "cpus": [0], "node": None}
    ]


def test_without_points_nothing_is_started(script: Script) -> None:
    script("exit 3")
    assert run(()) == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "echo 'stallscope-memory: error: cannot map' >&2; exit 3",
            "stallscope-memory: cannot map",
        ),
        ("exit 7", "exit status 7"),
        ("kill -SEGV $$", "exit status -11"),
        ("echo nonsense", "not JSON"),
        ("""echo '{"event": "hello", "version": "9.9"}'""", "is version 9.9"),
        (
            """echo '{"event": "point", "index": 5, "threads": []}'""",
            "point 5, which is not in the plan",
        ),
        ("""echo '{"event": "point", "index": 0, "threads": []}'""", "without a latency"),
    ],
)
def test_every_failure_raises_a_single_error(script: Script, body: str, message: str) -> None:
    script(body)
    with pytest.raises(UnableError, match=message):
        run()


@pytest.mark.parametrize("latency", ['["1"]', "[null]", "{}", "[NaN]"])
def test_a_latency_that_is_not_a_number_is_rejected(script: Script, latency: str) -> None:
    line = READING.replace("[2.0, 1.0]", latency)
    script(f"cat >/dev/null; echo '{line}'")
    with pytest.raises(UnableError, match="latency_ns|not JSON"):
        run()


def test_an_interrupted_lab_keeps_its_readings(script: Script) -> None:
    script(f"cat >/dev/null; echo '{READING}'; kill -INT $$")
    parts = make_plan(machine(), MemoryOptions(quick=True), 200 * MIB)
    steps: list[MemoryProgress] = []
    lab = measure_memory(machine(), parts, limit_bytes=GIB, on_progress=steps.append)
    assert lab.interrupted
    (curve,) = lab.sections
    assert len(curve.readings) == len(steps) == 1
    assert curve.note == "interrupted"
    assert lab.section(Section.THREADS).note == "interrupted before it"


def test_lines_written_before_an_interrupt_are_read(script: Script) -> None:
    # A single write, so that the end of the program cannot truncate it.
    script(f"cat >/dev/null; printf '%s\\n' '{READING}' '{READING}' '{READING}' '{READING[:40]}'")
    results: list[PointResult] = []

    def interrupt_at_first(result: PointResult) -> None:
        results.append(result)
        if len(results) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_points((POINT,), REPEATS, interrupt_at_first)
    assert len(results) == 3


def test_progress_reaches_the_end(script: Script) -> None:
    script(f"cat >/dev/null; echo '{READING}'")
    parts = make_plan(machine(), MemoryOptions(quick=True, threads=(1,)), GIB)[:1]
    steps: list[MemoryProgress] = []
    measure_memory(machine(), parts, limit_bytes=GIB, on_progress=steps.append)
    assert 0 < steps[-1].share <= 1
    assert steps[-1].left_s >= 0
