"""The collector on Debian's kernels, the oldest supported one first: what is missing has a name.

Linux 6.1 on arm64 runs in ./dev test with all other tests of the guest; the others boot in ./dev fuzz.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.long_tests import VARIABLE
from tests.pmu_guest.conftest import need_program
from tests.pmu_guest.guest import Machine, Result, boot
from tests.pmu_guest.kernel_scenarios import kernel_scenarios
from tests.pmu_guest.packages import FetchError, packages
from tests.pmu_guest.scenarios import COLLECT

pytestmark = [pytest.mark.pmu, pytest.mark.long]
# QEMU emulates a PMU for arm64 only.
NO_PMU = frozenset({"cycles", "instructions", "precise"})
MISSING = {
    ("bullseye", "amd64"): NO_PMU | {"build-id"},
    ("bullseye", "arm64"): {"build-id"},
    ("bookworm", "amd64"): NO_PMU,
}
RELEASES = {"bullseye": "5.10.", "bookworm": "6.1."}
# Tracepoints of newer kernels, which a recording of waits names.
NO_TRACEPOINTS = {
    "bullseye": ("lock:contention_begin", "lock:contention_end"),
    "bookworm": (),
}
Kernel = tuple[str, str]


@pytest.fixture(scope="module", params=MISSING, ids="-".join)
def kernel(request: pytest.FixtureRequest) -> Kernel:
    """The suite and the architecture of a kernel."""
    if os.environ.get(VARIABLE) != "1":
        pytest.skip("needs another kernel: ./dev fuzz boots it")
    suite, architecture = request.param
    return suite, architecture


@pytest.fixture(scope="module")
def results(
    kernel: Kernel, checkout: Path, request: pytest.FixtureRequest, tmp_path_factory
) -> dict[str, Result]:
    suite, architecture = kernel
    need_program("qemu-system-x86_64" if architecture == "amd64" else "qemu-system-aarch64")
    try:
        built_of = packages(checkout / "build" / f"guest-{suite}-{architecture}", *kernel)
    except FetchError:
        pytest.skip("needs the program Debian's kernel: it could not be fetched")
    if architecture == "amd64":
        folder = checkout / "stallscope" / "programs"
        collect, kernels = folder / "stallscope-collect", folder / "stallscope-kernels"
    else:
        folder = request.getfixturevalue("arm64_build")
        collect = folder / "collect" / "stallscope-collect"
        kernels = folder / "kernels" / "stallscope-kernels"
    machine = Machine(cpu="max") if architecture == "amd64" else Machine()
    # The path is the same in the guest and on this machine, whose file has the names.
    programs = {COLLECT: collect, str(kernels): kernels}
    folder = tmp_path_factory.mktemp(f"{suite}-{architecture}")
    return boot(built_of, programs, kernel_scenarios(str(kernels)), folder, machine)


@pytest.fixture
def good(results: dict[str, Result]) -> Callable[[str], Result]:
    """A function from a scenario that must have succeeded to its result."""

    def of(name: str) -> Result:
        assert results[name].status == 0, results[name].stderr
        return results[name]

    return of


def report_of(result: Result) -> dict[str, object]:
    """The document of `stallscope report --json` on this host."""
    run = subprocess.run(
        [sys.executable, "-m", "stallscope", "report", result.run, "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    document: dict[str, object] = json.loads(run.stdout)
    return document


def test_the_kernel_is_the_one_of_the_release(kernel: Kernel, good) -> None:
    assert good("release").stdout.startswith(RELEASES[kernel[0]])


def test_the_probe_names_what_is_missing_and_nothing_else(kernel: Kernel, good) -> None:
    probes = json.loads(good("probe").stdout)["probes"]
    missing = {probe["name"]: probe for probe in probes if not probe["ok"]}
    assert set(missing) == MISSING[kernel]
    assert all(probe["errno"] and probe["detail"] for probe in missing.values())


@pytest.mark.parametrize("name", ["samples", "copies", "whole_machine", "cgroup"])
def test_recordings_name_the_busy_function(kernel: Kernel, good, name: str) -> None:
    report = report_of(good(name))
    assert report["samples"] > 20  # type: ignore[operator]
    assert report["lost"] == 0
    if name in ("samples", "copies") and "build-id" in MISSING[kernel]:
        # A program that starts during the recording is not recognised on another machine.
        assert "file changed since it was mapped, so no symbols from it" in str(report["warnings"])
        return
    names = [function["name"] for function in report["functions"][:3]]  # type: ignore[index]
    assert any("dependent_chain" in name for name in names), names


def test_a_recording_of_waits_names_the_missing_tracepoints(kernel: Kernel, good) -> None:
    messages = good("waits").stderr
    report = report_of(good("waits"))
    assert len(report["threads"]) == 2  # type: ignore[arg-type]
    for name in ("lock:contention_begin", "lock:contention_end"):
        expected = name in NO_TRACEPOINTS[kernel[0]]
        assert (f"this kernel has no tracepoint {name}" in messages) == expected, messages


def test_counts_of_software_events_are_complete(good) -> None:
    manifest = json.loads((good("counts").run / "recording.json").read_text())
    assert manifest["complete"] is True


def test_an_event_that_the_machine_lacks_is_refused_with_a_remedy(
    kernel: Kernel, results: dict[str, Result]
) -> None:
    result = results["no_event"]
    if "instructions" in MISSING[kernel]:
        assert result.status == 3
        assert "remedy: this machine does not have the event" in result.stderr
    else:
        assert result.status == 0, result.stderr
