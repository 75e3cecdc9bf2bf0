"""The engine and the estimators on disks whose response curve is known before they run."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from math import ceil, floor
from pathlib import Path

import pytest

from harness.cli.command_line import main
from ioprobe.curve.verdicts import CurveEvidence, CurveVerdict, find_peculiarities
from ioprobe.engine.engine import Point, PointResult, measure_points
from ioprobe.target.target import DiskTarget, TargetRequirements, open_target
from tests.live.disk.known_disk import known_disk, loop_device
from tests.live.disk.response import Response, response

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("needs_root")]


@contextmanager
def opened(path: str) -> Iterator[DiskTarget]:
    with open_target(path, TargetRequirements(), announce=pytest.fail) as target:
        yield target


@pytest.mark.parametrize(("servers", "service_us"), [(4, 2000), (8, 2000), (16, 4000), (32, 4000)])
def test_the_knee_is_at_the_planted_depth(servers: int, service_us: int) -> None:
    lowest, highest = ceil(0.95 * servers), floor(1.1 * servers + 1)
    depths = (lowest - 1, highest, 2 * servers)

    def measured(*words: object) -> tuple[bool, Response]:
        planted = ("--servers", servers, "--service-us", service_us, *words)
        with known_disk(*planted) as disk, opened(disk.path) as target:
            return disk.real_time, response(target, depths, 0.3, knees=(lowest, highest))

    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(measured), pool.submit(measured, "--exponential")]
        curves = [run.result() for run in runs]
    for real_time, curve in curves:
        assert curve.facts is not None
        assert curve.knee >= lowest
        # Without a real-time class requests come late to a disk that is ready for them.
        if real_time and curve.facts.real_time_missing is None:
            assert curve.knee <= highest
            most = servers * 1e6 / service_us
            assert 0.95 * most <= curve.estimates.max_iops.value <= 1.05 * most


def test_a_loop_device_has_its_knee_at_nr_requests() -> None:
    with (
        known_disk("--servers", 32, "--service-us", 8000) as disk,
        loop_device(disk.path, "--direct-io=on") as device,
        opened(device) as target,
    ):
        admit(device, 8)
        assert target.warnings == ()
        curve = response(target, (7, 9, 16), 0.4, knees=(8, 9))
    assert 8 <= curve.knee <= 9


def admit(device: str, requests: int) -> None:
    try:
        Path("/sys/block", Path(device).name, "queue/nr_requests").write_text(f"{requests}")
    except OSError as error:
        pytest.skip(f"needs the kernel's nr_requests of loop devices: {error}")


def test_a_limiter_with_time_slices_is_recognized_at_depth_1() -> None:
    words = ("--service-us", 100, "--slice-requests", 50, "--slice-ms", 50)
    with known_disk(*words) as disk, opened(disk.path) as target:
        curve = response(target, (1, 2, 4), 0.5, knees=(1, 1), fastest_only=False)
    assert curve.knee == 1
    peculiarities = find_peculiarities(
        CurveEvidence(curve.readings, curve.depths, curve.estimates, None)
    )
    assert CurveVerdict.RATE_LIMITER in {item.verdict for item in peculiarities}


THROTTLED = """
import json, os, sys
from pathlib import Path
from harness.cli.command_line import main
from ioprobe.curve.verdicts import CurveEvidence, find_peculiarities
from ioprobe.target.target import TargetRequirements, open_target
from tests.live.disk.response import response
group, device = sys.argv[1:]
Path(group, "cgroup.procs").write_text(str(os.getpid()))
with open_target(device, TargetRequirements(), announce=print) as target:
    curve = response(target, (1, 4), 0.8, knees=(1, 1), fastest_only=False)
peculiarities = find_peculiarities(CurveEvidence(curve.readings, curve.depths, curve.estimates, None))
print(json.dumps({"knee": curve.knee, "iops": curve.estimates.max_iops.value,
                  "p50_ns": curve.depths[0].latencies.p50,
                  "verdicts": [item.verdict for item in peculiarities]}))
"""


def test_a_cgroup_limit_is_recognized_as_a_rate_limiter(
    scratch_device: str, throttled_to: Callable[[str, int], Path], checkout: Path
) -> None:
    group = throttled_to(scratch_device, 500)
    done = subprocess.run(
        [sys.executable, "-c", THROTTLED, str(group), scratch_device],
        capture_output=True, text=True, cwd=checkout, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    if report["knee"] != 1 and report["p50_ns"] > 1e6:
        pytest.skip("needs the kernel's worker behind a loop device: it answers in milliseconds")
    assert report["knee"] == 1
    assert CurveVerdict.RATE_LIMITER in report["verdicts"]
    assert report["iops"] <= 600  # windows need not begin with the kernel's slices


def test_planted_errors_are_counted_and_other_requests_kept() -> None:
    words = ("--service-us", 1000, "--fail-every", 5)
    with known_disk(*words) as disk, opened(disk.path) as target:
        results = [
            event
            for event in measure_points(
                target, [Point("1", depth=4, most_requests=100, duration_s=30)]
            )
            if isinstance(event, PointResult)
        ]
    assert len(results) == 1
    assert set(results[0].errors) == {"EIO"}
    # Every fifth of all, warm-up or not.
    answered = results[0].requests + results[0].errors["EIO"]
    assert results[0].errors["EIO"] == pytest.approx(answered / 5, abs=2)
    assert results[0].latency_ns is not None
    assert results[0].latency_ns.min >= 1_000_000


def test_the_command_finds_the_knee(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--max-depth", "16", "--repeats", "1", "--duration", "0.1", "--warmup", "0.05")
    with known_disk("--servers", 4, "--service-us", 2000) as disk:
        for _ in range(4):  # each may have met a busy machine
            assert main(["io", "curve", disk.path, "--json", *words]) == 0
            document = json.loads(capsys.readouterr().out)
            if 4 <= document["recommended"]["knee"] <= 5:
                break
        else:
            pytest.fail(f"knees of 4 servers: {document['recommended']}, {document['points']}")
    assert document["schema"] == "stallscope.io.curve/1"
