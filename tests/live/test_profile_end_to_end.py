"""Profiles of running programs: redis under load, a Python service, a compiler, a known mix.

Every test runs harness/profile/session.py through the console script.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.mix_truth import running_mix
from benchmarks.record_targets import redis_under_load
from harness.cli.command_line import main
from stallscope.programs import program
from stallscope.recordings import open_recording
from tests.chance import five_standard_errors
from tests.peers import run_peer

pytestmark = pytest.mark.live
STALLSCOPE = str(Path(sys.executable).with_name("stallscope"))


def profile(*arguments: str, folder: Path) -> dict:
    """The JSON document of a profile that must succeed."""
    run = subprocess.run(
        [STALLSCOPE, "profile", "--json", "-o", str(folder / "run"), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def check_document(document: dict) -> None:
    """Checks fields that every profile's document has."""
    assert document["schema"] == "stallscope.profile/1"
    assert document["source"]["kind"] == "measured"
    assert document["samples"] > 0
    assert document["lost"] == 0
    assert 0 <= document["unknown_share"] <= 1
    assert 0 <= document["truncated_share"] <= 1
    assert sum(row["self_share"] for row in document["functions"]) == pytest.approx(1, abs=1e-6)
    assert sum(row["share"] for row in document["threads"]) == pytest.approx(1, abs=1e-6)
    assert all(row["self_share"] <= row["total_share"] + 1e-9 for row in document["functions"])
    page = Path(document["report"]).read_text()
    assert "Content-Security-Policy" in page
    assert Path(document["recording"], "samples.perf").stat().st_size > 0


def test_shares_agree_with_the_programs_own_clocks(tmp_path: Path) -> None:
    with running_mix() as mix:
        document = profile("-p", str(mix.pid), "--duration", "1", "-F", "1999", folder=tmp_path)
        manifest = open_recording(tmp_path / "run").manifest
        assert manifest is not None
        assert manifest.end_ns is not None
        expected = mix.shares(manifest.start_ns, manifest.end_ns)
    check_document(document)
    sampled = {row["name"]: row["self_share"] for row in document["functions"]}
    assert len(expected) >= 4
    for name, share in expected.items():
        chance = five_standard_errors(share, document["samples"])
        assert sampled.get(name, 0) == pytest.approx(share, abs=0.01 + chance), name
    assert document["truncated_share"] < 0.05, "a program with frame pointers has whole stacks"


def test_redis_under_load(tmp_path: Path) -> None:
    with redis_under_load(tmp_path) as redis:
        document = profile("-p", str(redis.pid), "--duration", "1", folder=tmp_path)
    check_document(document)
    assert any("redis" in thread["process"] for thread in document["threads"])
    assert any(
        row["module"].endswith(("redis-server", "redis-check-rdb")) for row in document["functions"]
    )
    assert any(row["kind"] == "kernel" for row in document["functions"])
    assert document["truncated_share"] < 0.1, "Debian's redis-server has no frame pointers"


def test_a_python_service(tmp_path: Path) -> None:
    service = "import json\nwhile True: json.loads(json.dumps(list(range(500))))"
    with subprocess.Popen([sys.executable, "-c", service]) as process:
        try:
            document = profile("-p", str(process.pid), "--duration", "1", folder=tmp_path)
        finally:
            process.kill()
    check_document(document)
    # Debian's interpreter is stripped: functions that it does not export are reported as unknown.
    assert document["unknown_share"] < 0.9
    assert any("Py" in row["name"] for row in document["functions"])


def test_a_compiler_from_its_start(tmp_path: Path) -> None:
    (tmp_path / "big.cpp").write_text(
        "#include <regex>\n#include <map>\nstd::map<int, std::regex> m;\n"
    )
    document = profile(
        "--", "g++", "-O1", "-c", "-o", "/dev/null", str(tmp_path / "big.cpp"), folder=tmp_path
    )
    check_document(document)
    assert any(row["process"] == "cc1plus" for row in document["threads"]), (
        "forks and execs are followed"
    )


def test_a_perf_data_file_of_perf_record(
    tmp_path: Path, light_process: subprocess.Popen[str]
) -> None:
    data = tmp_path / "perf.data"
    run_peer(
        [
            "perf",
            "record",
            "-q",
            "-g",
            "-e",
            "cpu-clock",
            "-p",
            str(light_process.pid),
            "-o",
            data,
            "--",
            "sleep",
            "0.5",
        ],
        check=True,
    )
    run = subprocess.run(
        [STALLSCOPE, "report", str(data), "--json"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    document = json.loads(run.stdout)
    assert document["samples"] > 0
    assert (tmp_path / "perf.data.report.html").exists()


def test_flame_formats(tmp_path: Path, light_process: subprocess.Popen[str]) -> None:
    profile("-p", str(light_process.pid), "--duration", "0.3", folder=tmp_path)
    for ending, token in (("svg", "<svg"), ("html", "<!doctype html"), ("folded", ";")):
        output = tmp_path / f"flame.{ending}"
        assert main(["flame", str(tmp_path / "run"), "-o", str(output)]) == 0
        assert token in output.read_text()
    piped = subprocess.run(
        [STALLSCOPE, "flame", tmp_path / "run", "--format", "folded", "-o", "-"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert piped.stdout == (tmp_path / "flame.folded").read_text()


def test_a_commands_failure_is_reported(tmp_path: Path) -> None:
    script = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; exit 7"
    run = subprocess.run(
        [STALLSCOPE, "profile", "-o", tmp_path / "run", "--", "sh", "-c", script],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 4
    assert "exited 7" in run.stderr
    assert (tmp_path / "run" / "report.html").exists()


def test_a_killed_recording_is_readable(
    tmp_path: Path, light_process: subprocess.Popen[str]
) -> None:
    collector = subprocess.Popen(
        [program("stallscope-collect"), "-p", str(light_process.pid), "-o", tmp_path / "run"],
        stderr=subprocess.DEVNULL,
    )
    samples = tmp_path / "run" / "samples.perf"
    deadline = time.monotonic() + 20
    while (
        not (samples.exists() and samples.stat().st_size > 100_000) and time.monotonic() < deadline
    ):
        time.sleep(0.05)
    collector.kill()
    collector.wait()
    run = subprocess.run(
        [STALLSCOPE, "report", tmp_path / "run", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    document = json.loads(run.stdout)
    assert document["samples"] > 0
    assert any("was not closed" in warning["message"] for warning in document["warnings"])
