"""Java frames of an unmodified virtual machine, compared with a program of known shares."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.live
PROGRAM = Path(__file__).parents[2] / "benchmarks" / "runtimes" / "KnownJava.java"
INTERPRETED = "-XX:CompileCommand=exclude,KnownJava::interpreted"
SECONDS = 2
RATE_HZ = 499
# Five standard errors of the largest share at 500 samples; the benchmark has the bar of 3 points.
NEAR = 0.08
MIN_NAMED_SHARE = 0.9


@pytest.fixture(scope="module")
def known_java(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of the program, compiled."""
    for name in ("java", "javac"):
        if shutil.which(name) is None:
            pytest.skip(f"needs the program {name}")
    classes = tmp_path_factory.mktemp("classes")
    subprocess.run(["javac", "-d", classes, PROGRAM], check=True, timeout=120)
    quiet = "-XX:CompileCommand=quiet"
    return ["java", quiet, INTERPRETED, "-cp", str(classes), "KnownJava", "60"]


def test_java_functions_have_names_and_their_shares(known_java: list[str]) -> None:
    with subprocess.Popen(known_java, stdout=subprocess.PIPE, text=True) as target:
        try:
            time.sleep(2)
            command = [sys.executable, "-m", "stallscope", "profile", "-p", str(target.pid)]
            options = ["--duration", str(SECONDS), "-F", str(RATE_HZ), "--json"]
            printed = subprocess.run(
                [*command, *options], capture_output=True, text=True, timeout=120, check=True
            )
        finally:
            target.kill()
        lines = (target.stdout.read() if target.stdout else "").splitlines()
    document = json.loads(printed.stdout)
    (runtime,) = document["runtimes"]
    assert runtime["name"] == "hotspot"
    assert runtime["named"] > MIN_NAMED_SHARE * runtime["samples"]
    truth = json.loads(lines[-1])
    shares = {
        function["name"].removeprefix("KnownJava."): function["total_share"]
        for function in document["functions"]
        if function["name"].startswith("KnownJava.")
    }
    shares = {name: shares.get(name, 0) for name in truth}
    for name, spent_ns in truth.items():
        expected = spent_ns / sum(truth.values())
        assert shares[name] / sum(shares.values()) == pytest.approx(expected, abs=NEAR), name
    interpreted = next(f for f in document["functions"] if f["name"] == "KnownJava.interpreted")
    assert interpreted["kind"] == "java"


def test_short_native_calls_and_library_code_have_callers(tmp_path: Path) -> None:
    for name in ("java", "javac"):
        if shutil.which(name) is None:
            pytest.skip(f"needs the program {name}")
    program = Path(__file__).parent / "targets" / "ShortCalls.java"
    subprocess.run(["javac", "-d", tmp_path, program], check=True, timeout=120)
    recording, stallscope = tmp_path / "recording", [sys.executable, "-m", "stallscope"]
    with subprocess.Popen(["java", "-cp", str(tmp_path), "ShortCalls"]) as target:
        try:
            time.sleep(1)
            command = [*stallscope, "record", "-p", str(target.pid), "-o", str(recording)]
            options = ["--duration", str(SECONDS), "-F", str(RATE_HZ)]
            subprocess.run([*command, *options], capture_output=True, timeout=120, check=True)
        finally:
            target.kill()
    flame = [*stallscope, "flame", str(recording), "--format", "folded", "-o", "-"]
    folded = subprocess.run(flame, capture_output=True, text=True, timeout=120, check=True).stdout
    for callee, caller in (
        ("pthread_cond_signal", "ShortCalls.wake"),
        ("compare", "ShortCalls.main"),
    ):
        counts = {True: 0, False: 0}
        for line in folded.splitlines():
            if callee in line:
                counts[caller in line] += int(line.rsplit(" ", 1)[1])
        assert counts[True] > MIN_NAMED_SHARE * sum(counts.values()) > 0, callee
