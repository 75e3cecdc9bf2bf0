"""The measuring program: its lines and its exit status."""

import json
from pathlib import Path

import pytest

from harness.labs.memory.points import PointReading, RingPoint, SkippedPoint
from harness.labs.memory.program import PointResult, run_points
from stallscope.errors import UnableError
from tests.harness.labs.memory.program_lines import HELLO, POINT, READING, REPEATS, Script


def run(points: tuple[RingPoint, ...] = (POINT,)) -> list[PointResult]:
    results: list[PointResult] = []
    run_points(points, REPEATS, results.append)
    return results


def test_every_result_is_passed_on(script: Script) -> None:
    skipped = json.dumps({"event": "skipped", "index": 1, "why": "no such node"})
    script(f"cat >/dev/null; echo '{HELLO}'; echo '{READING}'; echo '{skipped}'")
    first, second = run((POINT, POINT))
    assert isinstance(first, PointReading)
    assert (first.min_ns, first.median_ns, first.max_ns) == (1.0, 1.5, 2.0)
    assert second == SkippedPoint(POINT, "no such node")


def test_the_plan_reaches_the_program(script: Script, tmp_path: Path) -> None:
    script(f"cat >{tmp_path}/plan")
    assert run() == []
    plan = json.loads((tmp_path / "plan").read_text())
    assert plan["points"] == [
        {
            "lines": 64,
            "stride_bytes": 64,
            "pages": "small",
            "cpus": [0],
            "node": None,
            "order": "random",
        }
    ]


def test_without_points_no_program_is_started(script: Script) -> None:
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
