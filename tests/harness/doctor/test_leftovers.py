"""Settings that other tools leave behind are reported, on machine trees that differ in one file."""

import os
from pathlib import Path

import click
import pytest

from cstates.pinning.claims import run_folder
from cstates.pinning.journal import PinOwner, new_journal, write_journal
from cstates.pinning.knobs import change
from harness.doctor.leftovers import find_leftovers
from harness.doctor.result import DoctorResult, Leftover
from harness.doctor.text import lines
from harness.machine_checks.check import available
from harness.machine_checks.machine import gather
from stallscope.system_files import Roots
from tests.cstates.machine_trees import expand

CPU = "sys/devices/system/cpu"
TRACING = "sys/kernel/tracing"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = expand("ice-lake-server", tmp_path / "machine")
    (tree / "dev/cpu_dma_latency").unlink()  # which tuned holds
    return tree


def leftovers(tree: Path) -> tuple[Leftover, ...]:
    return find_leftovers(gather(Roots.recorded(tree), Path("/nonexistent")))


def put(tree: Path, path: str, value: str) -> None:
    (tree / path).parent.mkdir(parents=True, exist_ok=True)
    (tree / path).write_text(value + "\n")


def test_a_machine_without_leftovers_has_none(tree: Path) -> None:
    assert leftovers(tree) == ()
    assert leftovers(tree / "empty") == ()


@pytest.mark.parametrize(
    ("path", "value", "setting", "remedy"),
    [
        (
            "proc/sys/kernel/perf_event_max_sample_rate",
            "1",
            "kernel.perf_event_max_sample_rate",
            "sysctl kernel.perf_event_max_sample_rate=100000",
        ),
        (
            "proc/sys/kernel/perf_cpu_time_max_percent",
            "1",
            "kernel.perf_cpu_time_max_percent",
            "sysctl kernel.perf_cpu_time_max_percent=25",
        ),
        (
            "proc/sys/kernel/randomize_va_space",
            "0",
            "kernel.randomize_va_space",
            "sysctl kernel.randomize_va_space=2",
        ),
        (
            "proc/sys/kernel/bpf_stats_enabled",
            "1",
            "kernel.bpf_stats_enabled",
            "sysctl kernel.bpf_stats_enabled=0",
        ),
        (
            f"{CPU}/cpu1/cpuidle/state2/disable",
            "1",
            "sleep state C1E",
            f"tee /{CPU}/cpu1/cpuidle/state2/disable",
        ),
        (
            f"{CPU}/cpu3/power/pm_qos_resume_latency_us",
            "n/a",
            "pm_qos_resume_latency_us",
            "cpu3/power/pm_qos_resume_latency_us",
        ),
        (f"{CPU}/intel_pstate/no_turbo", "1", "turbo", "echo 0 |"),
        (f"{TRACING}/current_tracer", "function", "current_tracer", "echo nop |"),
        (f"{TRACING}/set_event", "sched:sched_switch", "set_event", f"/{TRACING}/set_event"),
        (f"{TRACING}/kprobe_events", "p:x y", "kprobe_events", f"/{TRACING}/kprobe_events"),
        (f"{TRACING}/instances/old;tool/x", "", "trace instance old;tool", "'/sys/kernel/tracing"),
    ],
)
def test_a_changed_setting_is_reported_with_its_remedy(
    tree: Path, path: str, value: str, setting: str, remedy: str
) -> None:
    put(tree, path, value)
    (leftover,) = leftovers(tree)
    assert leftover.setting == setting
    assert remedy in leftover.remedy
    shown = DoctorResult(checks=(available("x", "y"),), leftovers=(leftover,))
    text = "\n".join(click.unstyle(line) for line in lines(shown, 100))
    assert "Possibly left behind by other tools:" in text
    assert setting in text


def test_a_held_latency_limit_is_reported_with_its_holder(tmp_path: Path) -> None:
    (leftover,) = leftovers(expand("ice-lake-server", tmp_path / "held"))
    assert (leftover.setting, leftover.value) == (
        "/dev/cpu_dma_latency",
        "100 us, held by tuned (812)",
    )
    assert leftover.remedy == ""


def test_a_fixed_frequency_is_reported_once_for_all_policies(tree: Path) -> None:
    for policy in (tree / CPU / "cpufreq").glob("policy*"):
        put(policy, "scaling_min_freq", "2000000")
        put(policy, "scaling_max_freq", "2000000")
    (leftover,) = leftovers(tree)
    assert leftover.setting == "frequency"
    assert "fixed at 2000000 kHz" in leftover.value
    assert "scaling_max_freq; echo" in leftover.remedy


def test_a_state_that_its_driver_disables_is_not_reported(tree: Path) -> None:
    for cpu in range(4):
        put(tree, f"{CPU}/cpu{cpu}/cpuidle/state3/disable", "1")
    (leftover,) = leftovers(tree)
    assert "cpu*/cpuidle/state3/disable" in leftover.remedy
    for cpu in range(4):
        put(tree, f"{CPU}/cpu{cpu}/cpuidle/state3/default_status", "disabled")
    assert leftovers(tree) == ()


def test_an_instance_of_a_running_recording_is_not_reported(tree: Path) -> None:
    put(tree, f"{TRACING}/instances/stallscope-812-x/trace", "")
    assert (tree / "proc/812").is_dir()
    assert leftovers(tree) == ()
    put(tree, f"{TRACING}/instances/stallscope-99999-x/trace", "")
    assert [leftover.setting for leftover in leftovers(tree)] == [
        "trace instance stallscope-99999-x"
    ]


def test_the_journal_of_a_killed_pin_is_reported(tree: Path) -> None:
    roots = Roots.recorded(tree)
    changed = change("idle-state", "0", "1", cpu=1, state="state2")
    with run_folder(tree / "run" / "stallscope", roots) as folder:
        journal = new_journal(roots, PinOwner(os.getpid(), 1, "killed"), (changed,))
        write_journal(folder, 0, journal)
    (leftover,) = leftovers(tree)
    assert leftover.value.startswith("1 settings left by killed")
    assert leftover.remedy.endswith("stallscope pin restore")
