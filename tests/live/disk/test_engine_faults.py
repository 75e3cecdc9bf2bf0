"""The disk engine where things go wrong: errors planted, a slow disk, no io_uring, odd sizes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ioprobe.engine.engine import Point, PointProgress, PointResult, measure_points
from ioprobe.target.target import TargetRequirements, open_target
from stallscope.errors import StallscopeError
from tests.ioprobe.engine_target import MS, Target, measure
from tests.live.disk.known_disk import known_disk

pytestmark = pytest.mark.live

FORBIDDEN = """
import json, sys
from tests.live.disk.without_io_uring import forbid
forbid()
from ioprobe.engine.engine import EngineFacts, PointResult, Point, measure_points
from ioprobe.target.target import TargetRequirements, open_target
with open_target(sys.argv[1], TargetRequirements(need_direct=False), announce=print) as target:
    for event in measure_points(target, [Point("a", depth=3, most_requests=30)]):
        if isinstance(event, EngineFacts):
            report = {"why": event.io_uring_missing}
        if isinstance(event, PointResult):
            report |= {"engine": event.engine, "requests": event.requests}
print(json.dumps(report))
"""


def disk_target(path: str, span_bytes: int = 1 << 20) -> Target:
    return Target(path=path, span_bytes=span_bytes, simulated=None)


@pytest.mark.usefixtures("needs_root")
def test_errors_are_counted_and_other_requests_kept() -> None:
    with known_disk("--size-bytes", 1 << 20, "--service-us", 0, "--fail-every", 5) as disk:
        (result,) = measure(disk_target(disk.path), Point("a", depth=4, most_requests=100))
    assert result.requests + result.errors["EIO"] == 100
    assert 15 <= result.errors["EIO"] <= 25
    assert not result.ok
    assert "requests failed" in result.self_check.failed[0]
    assert sum(count for _, _, count in result.histogram) == result.requests


@pytest.mark.usefixtures("needs_root")
def test_a_disk_slower_than_the_duration_is_measured() -> None:
    with known_disk("--size-bytes", 1 << 20, "--service-us", 1_100_000) as disk:
        (result,) = measure(disk_target(disk.path), Point("a", duration_s=0.2))
    assert result.requests == 1
    assert result.latency_ns is not None
    assert result.latency_ns.min >= 1100 * MS
    assert result.seconds >= 1.1


def test_without_io_uring_threads_keep_the_depth_with_a_note(
    tmp_path: Path, checkout: Path
) -> None:
    file = tmp_path / "file"
    file.write_bytes(os.urandom(1 << 20))
    ran = subprocess.run(
        [sys.executable, "-c", FORBIDDEN, file],
        capture_output=True, text=True, check=False, cwd=checkout,
    )  # fmt: skip
    if ran.stderr.startswith("cannot: "):
        pytest.skip(f"needs the kernel's seccomp: {ran.stderr}")
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert "io_uring_setup" in report["why"]
    assert (report["engine"], report["requests"]) == ("preadv2", 30)


def test_request_sizes_that_are_not_aligned_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(1 << 20))
    with open_target(str(file), TargetRequirements(need_direct=False), announce=print) as target:
        if not target.direct.available:
            pytest.skip("needs the kernel's direct I/O: none on this filesystem")
        with pytest.raises(StallscopeError, match="1000"):
            list(measure_points(target, [Point("a", block_bytes=1000)]))


def test_ctrl_c_keeps_the_result_of_a_real_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(os.urandom(1 << 20))
    results: list[PointResult] = []
    sent = False
    with open_target(str(file), TargetRequirements(need_direct=False), announce=print) as target:
        for event in measure_points(target, [Point("a", duration_s=600), Point("b")]):
            if isinstance(event, PointProgress) and event.requests > 0 and not sent:
                os.kill(os.getpid(), signal.SIGINT)
                sent = True
            if isinstance(event, PointResult):
                results.append(event)
    assert [result.point.id for result in results] == ["a"]
    assert results[0].interrupted
    assert results[0].requests > 0
