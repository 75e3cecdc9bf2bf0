"""`stallscope cstates compare` on this machine: settings change and are restored."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from cstates.idle.states import read_idle_machine
from cstates.pinning.effects import entries_by_name, increases
from cstates.sysfs import present_cpus
from harness.cli.command_line import main
from stallscope.system_files import Roots

pytestmark = pytest.mark.live


def settings() -> object:
    machine = read_idle_machine(Roots(), present_cpus(Roots()))
    closed = [(cpu.cpu, state.name, state.disabled) for cpu in machine.cpus for state in cpu.states]
    return machine.governor, closed


def entered() -> dict[str, int]:
    """Return the kernel's counters of all CPUs by state name."""
    return entries_by_name(Roots(), present_cpus(Roots()))


@pytest.mark.parametrize(
    "subject",
    [
        ("--", "sleep", "0.02"),
        ("--load", "--rate", "500", "--seconds", "0.1"),
        (
            "--load",
            "--loop",
            "closed",
            "--connections",
            "4",
            "--processes",
            "3",
            "--seconds",
            "0.1",
        ),
    ],
)
def test_runs_are_compared_with_what_the_cpus_entered(
    subject: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root: settings of sleep states are its own")
    if "--load" in subject and len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two CPUs: the server's and the loader's")
    before, counted = settings(), entered()
    words = ["cstates", "compare", "--json", "--rounds", "1", f"--run-root={tmp_path / 'run'}"]
    status = main([*words, *subject])
    written = capfd.readouterr()
    if status == 3 and "no setting to compare with" in written.err:
        pytest.skip("needs the kernel's cpuidle with two states")
    assert status == 0, written.err
    assert settings() == before
    document = json.loads(written.out)
    assert len(document["settings"]) > 1
    names = {"--": "wall_s"}.get(subject[0], "latency_p50_us")
    most = increases(counted, entered())
    for setting in document["settings"]:
        assert setting["metrics"][names]["values"][0] > 0
        # If others are busy on these CPUs, they may not have slept at all.
        assert set(setting["entries"][0]) <= set(most)
    for name, count in most.items():
        assert sum(item["entries"][0].get(name, 0) for item in document["settings"]) <= count
    assert "too few" in document["conclusions"][0]


def test_a_busy_machine_is_detected(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    cpu = min(os.sched_getaffinity(0))
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as spinner:
        os.sched_setaffinity(spinner.pid, {cpu})
        words = ["cstates", "compare", "--json", f"--cpus={cpu}", "--rounds=6"]
        words += [f"--run-root={tmp_path / 'run'}", "--setting=kind=--nice 1"]
        status = main([*words, "--", "sleep", "0.2"])
        spinner.kill()
    assert status == 0
    document = json.loads(capfd.readouterr().out)
    assert document["others_share"] > 0.8
    message = " ".join(document["conclusions"])
    assert "the machine was too busy" in message or "% less" in message  # 5 % by chance
    assert "Nothing to gain" not in message
