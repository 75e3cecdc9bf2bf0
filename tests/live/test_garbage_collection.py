"""Garbage collection of real runtimes, and programs that look like it."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.profile.analysis import analyze
from stallscope.recordings import open_recording
from topdown.stacks.managed.garbage_collection import GarbageCollection, garbage_collections

pytestmark = pytest.mark.live
TARGETS = Path(__file__).parent / "targets"
# The storms spend 60 to 90 % of their time in the collector, the others none of it.
STORM_SHARE = 0.3
QUIET_SHARE = 0.02


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of the Java program, compiled."""
    for name in ("java", "javac"):
        if shutil.which(name) is None:
            pytest.skip(f"needs the program {name}")
    classes = tmp_path_factory.mktemp("classes")
    subprocess.run(
        ["javac", "-d", classes, TARGETS / "AllocationStorm.java"], check=True, timeout=120
    )
    return ["java", "-Xmx256m", "-cp", str(classes)]


@pytest.fixture(scope="module")
def node() -> list[str]:
    """The command of the JavaScript program."""
    if shutil.which("node") is None:
        pytest.skip("needs the program node")
    return ["node", str(TARGETS / "allocation_storm.js")]


def collections_of(command: list[str], folder: Path) -> tuple[GarbageCollection, ...]:
    """Return the collections in a recording of the command."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as target:
        try:
            time.sleep(2)
            recorder = [sys.executable, "-m", "stallscope", "record", "-p", str(target.pid)]
            options = ["--duration", "2", "-F", "499", "-o", str(folder / "run")]
            subprocess.run([*recorder, *options], capture_output=True, timeout=120, check=True)
        finally:
            target.kill()
    return garbage_collections(analyze(open_recording(folder / "run")).profile)


@pytest.mark.parametrize(
    ("option", "collector"),
    [("G1", "G1"), ("Parallel", "parallel"), ("Serial", "serial"), ("Z", "ZGC")],
)
def test_the_collector_of_an_allocating_java_program_is_named(
    java: list[str], tmp_path: Path, option: str, collector: str
) -> None:
    command = [*java, f"-XX:+Use{option}GC", "AllocationStorm", "storm"]
    result, *_ = collections_of(command, tmp_path)
    assert (result.runtime, result.collector) == ("hotspot", collector)
    assert result.share > STORM_SHARE


def test_a_java_thread_named_as_a_collector_is_not_one(java: list[str], tmp_path: Path) -> None:
    results = collections_of([*java, "-XX:+UseG1GC", "AllocationStorm", "compute"], tmp_path)
    assert sum(result.share for result in results) < QUIET_SHARE


def test_scavenges_and_mark_compact_of_node_are_named(node: list[str], tmp_path: Path) -> None:
    result, *_ = collections_of([*node, "storm"], tmp_path)
    assert (result.runtime, result.collector) == ("v8", "V8")
    assert {"scavenge", "mark-compact"} <= set(result.phases)
    assert result.share > STORM_SHARE


def test_functions_of_node_named_as_a_collector_are_none(node: list[str], tmp_path: Path) -> None:
    results = collections_of([*node, "compute"], tmp_path)
    assert sum(result.share for result in results) < QUIET_SHARE
