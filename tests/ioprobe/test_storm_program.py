"""The output lines of stallscope-ioqueue storm and overhead."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

from stallscope.histograms import read_interval_log
from stallscope.programs import program

MS = 1_000_000
SIMULATED = {
    "simulated": {"servers": 4, "service_ns": MS},
    "span_bytes": 1 << 20,
    "writable": True,
}


def storm_plan(
    rounds: list[dict[str, Any]], target: dict[str, Any] = SIMULATED, **more: object
) -> str:
    """Return a plan as JSON."""
    return json.dumps(
        {"schema": "stallscope.io.storm/1", "target": target, "rounds": rounds, **more}
    )


def run_storm_program(plan: str, *, fds: tuple[int, ...] = ()) -> tuple[int, list[dict[str, Any]]]:
    """Return the exit code and all lines except progress."""
    run = subprocess.run(
        [program("stallscope-ioqueue"), "storm"],
        input=plan,
        capture_output=True,
        text=True,
        pass_fds=fds,
        timeout=60,
        check=False,
    )
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    return run.returncode, [line for line in lines if line["kind"] != "progress"]


def test_a_limit_lets_the_reader_pass_queued_writes() -> None:
    writer = {"depth": 127}
    rounds = [
        {"id": "none", "writer": writer, "shares": [100, 100], "duration_s": 2},
        {"id": "8", "writer": writer, "shares": [100, 100], "limit": 8, "duration_s": 2},
        {"id": "line", "writer": writer, "limit": 8, "duration_s": 2},
    ]
    code, (begin, none, limited, line, end) = run_storm_program(storm_plan(rounds))
    assert code == 0
    assert (begin["kind"], begin["source"]) == ("begin", "modelled")
    assert end == {"kind": "end", "interrupted": False}
    assert [result["id"] for result in (none, limited, line)] == ["none", "8", "line"]
    assert none["reader"]["latency_ns"]["p99"] == 32 * MS
    assert limited["reader"]["latency_ns"]["p99"] == 2 * MS
    assert line["reader"]["latency_ns"]["p99"] == 32 * MS
    assert (none["pending"], none["in_flight"]) == (0, 128)
    assert (limited["pending"], limited["in_flight"]) == (120, 8)
    assert limited["writer"]["bytes_per_s"] == 3500 * 131_072
    assert sum(count for _, _, count in limited["reader"]["histogram"]) == 1000


def test_an_interrupt_keeps_the_current_round_and_starts_no_other() -> None:
    plan = storm_plan([{"id": "a", "duration_s": 86_400}, {"id": "b"}])
    with subprocess.Popen(
        [program("stallscope-ioqueue"), "storm"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        run.stdin.write(plan)
        run.stdin.close()
        while json.loads(run.stdout.readline())["kind"] != "progress":
            pass
        run.send_signal(signal.SIGINT)
        lines = [json.loads(line) for line in run.stdout]
    assert run.returncode == 0
    kept, end = [line for line in lines if line["kind"] != "progress"]
    assert (kept["id"], kept["interrupted"]) == ("a", True)
    assert kept["reader"]["requests"] > 0
    assert end["interrupted"]


def test_an_invalid_plan_is_a_single_error() -> None:
    code, (error,) = run_storm_program(storm_plan([{"limit": 0}]))
    assert (code, error["kind"], error["exit_code"]) == (2, "error", 2)
    assert "rounds[0].limit" in error["message"]


def test_a_file_is_read_through_its_descriptor_and_logged(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(1 << 20))
    log = tmp_path / "reader.hlog"
    with (tmp_path / "file").open("rb") as file:
        target = {"fd": file.fileno(), "span_bytes": 1 << 20}
        rounds = [{"id": "a", "duration_s": 0.1}, {"id": "b", "duration_s": 0.1}]
        code, lines = run_storm_program(
            storm_plan(rounds, target, log=str(log), real_time=False), fds=(file.fileno(),)
        )
    if lines[0]["io_uring"] is not None:
        assert (code, lines[1]["kind"]) == (3, "error")
        return
    assert code == 0
    requests = [line["reader"]["requests"] for line in lines if line["kind"] == "round"]
    logged = [interval.histogram.total for interval in read_interval_log(log).intervals]
    assert logged == requests


def test_the_queue_has_a_measured_overhead() -> None:
    run = subprocess.run(
        [program("stallscope-ioqueue"), "overhead", "--requests", "20000"],
        capture_output=True,
        text=True,
        check=True,
    )
    line = json.loads(run.stdout)
    assert (line["way"], line["depth"], line["requests"]) == ("queue", 32, 20_000)
    assert line["cpu_ns_per_request"] > 0
