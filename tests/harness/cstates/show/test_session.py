"""`stallscope cstates show` on generated machines: text, document, panel."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cstates.observation import observe
from cstates.sysfs import present_cpus
from harness.cli.command_line import main
from harness.cstates.show.groups import cpu_groups
from harness.cstates.show.panel import states_panel
from harness.cstates.show.result import ShowResult, show_result
from harness.cstates.show.text import lines
from stallscope.documents import decode, encode
from stallscope.errors import ExitCode
from stallscope.system_files import Roots
from tests.cstates.machine_trees import names

GOLDEN = Path(__file__).parent / "golden"
Machines = Callable[[str], Roots]


def result_of(roots: Roots) -> ShowResult:
    return show_result(observe(roots, present_cpus(roots)))


def text_of(roots: Roots) -> str:
    return "\n".join(lines(result_of(roots), 100)) + "\n"


@pytest.mark.parametrize("name", names())
def test_the_text_matches_the_golden_file(machine: Machines, name: str) -> None:
    text = text_of(machine(name))
    golden = GOLDEN / f"show-{name}.txt"
    if not golden.exists() or golden.read_text() != text:
        golden.with_suffix(".got").write_text(text)
    assert golden.read_text() == text, f"see {golden.with_suffix('.got')}"


def of_command(capsys: pytest.CaptureFixture[str], roots: Roots, *options: str) -> dict[str, Any]:
    arguments = ["--json", "--sysfs-root", str(roots.sys), "--proc-root", str(roots.proc), *options]
    assert main(["cstates", "show", *arguments]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_the_document_has_the_documented_fields(
    machine: Machines, capsys: pytest.CaptureFixture[str]
) -> None:
    document = of_command(capsys, machine("ice-lake-server"), "--cpus", "1")
    assert document["schema"] == "stallscope.cstates.show/1"
    assert (document["driver"], document["governor"]) == ("intel_idle", "menu")
    (cpu,) = document["cpus"]
    assert cpu["cpu"] == 1
    c6 = cpu["states"][3]
    assert {
        key: c6[key]
        for key in (
            "name",
            "exit_latency_us",
            "target_residency_us",
            "disabled",
            "usage",
            "time_us",
            "above",
            "below",
        )
    } == {
        "name": "C6",
        "exit_latency_us": 170,
        "target_residency_us": 600,
        "disabled": False,
        "usage": 400_010,
        "time_us": 400_010 * 9000,
        "above": 100_002,
        "below": 40_001,
    }
    assert c6["closed_by"] == "latency-limit"
    assert c6["over_interval"] is None
    assert document["latency_limit"]["holders"] == [{"pid": 812, "name": "tuned"}]
    assert document["frequency"]["policies"][0]["driver"] == "intel_cpufreq"


def test_missing_values_are_null_with_a_reason(
    machine: Machines, capsys: pytest.CaptureFixture[str]
) -> None:
    document = of_command(capsys, machine("no-cpuidle"))
    assert document["driver"] is None
    assert "idle=poll" in document["missing"]
    assert document["cpus"][0]["states"] == []
    assert "idle=poll" in document["cpus"][0]["missing"]
    assert document["frequency"]["turbo"] is None
    assert document["frequency"]["missing"]
    roots = machine("haltpoll-vm")
    (roots.sys / "devices/system/cpu/cpu0/cpuidle/state1/above").unlink()
    halt = of_command(capsys, roots)["cpus"][0]["states"][1]
    assert halt["above"] is None
    assert halt["since_boot"]["above_per_s"] is None
    assert "n/a" in text_of(roots)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--cpus", "0-3,8-,x"), "'8-' is neither a CPU nor a range"),
        (("--cpus", "7"), "this machine has no CPU 7"),
        (("--interval", "1"), "--interval needs a live machine"),
        (("--interval", "nan"), "not a finite number"),
        (("--interval", "0"), "not in the range"),
    ],
)
def test_invalid_options_are_rejected(
    machine: Machines, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], message: str
) -> None:
    roots = machine("nehalem-ep-workstation")
    arguments = ["--sysfs-root", str(roots.sys), "--proc-root", str(roots.proc), *options]
    assert main(["cstates", "show", *arguments]) == ExitCode.USAGE
    assert message in capsys.readouterr().err


def test_a_folder_without_cpus_is_rejected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cstates", "show", "--sysfs-root", str(tmp_path)]) == ExitCode.USAGE
    assert "sysfs" in capsys.readouterr().err


def test_hostile_names_are_escaped_everywhere(machine: Machines) -> None:
    roots = machine("ice-lake-server")
    hostile = "<b>\x1b[31m\u202ex"
    (roots.proc / "812/comm").write_text(hostile + "\n")
    (roots.sys / "devices/system/cpu/cpu0/cpuidle/state1/name").write_text(hostile + "\n")
    (roots.sys / "devices/system/cpu/cpuidle/current_governor").write_text(hostile + "\n")
    text = text_of(roots)
    assert "\x1b" not in text
    assert "\u202e" not in text
    panel = states_panel(result_of(roots))
    assert "<b>" not in panel
    assert "&lt;b&gt;" in panel
    assert "\x1b" not in panel


def test_the_panel_has_the_contents_of_the_text(machine: Machines) -> None:
    roots = machine("sapphire-rapids-server")
    panel = states_panel(result_of(roots))
    assert panel.startswith('<section class="panel" id="cstates"')
    assert panel.count("<tr") == 5
    assert 'class="muted-row"><th scope="row">C1E</th>' in panel
    for text in ("off by default", "EPP performance", "CPUs 0-3", "measured"):
        assert text in panel


def test_the_page_has_the_panel_and_no_external_resources(
    machine: Machines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roots = machine("skylake-client")
    document = of_command(capsys, roots, "-o", str(tmp_path / "states.html"))
    page = (tmp_path / "states.html").read_text(encoding="utf-8")
    assert document["schema"]
    assert states_panel(result_of(roots)) in page
    assert "Content-Security-Policy" in page
    assert "://" not in page
    assert "Core i7-6600U" in page


@pytest.mark.parametrize("name", names())
def test_the_document_is_decoded_to_the_same_result(machine: Machines, name: str) -> None:
    result = result_of(machine(name))
    assert decode(encode(result), ShowResult, "show.json") == result


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nehalem-ep-workstation", [[0, 1, 2, 3]]),
        ("offline-cpus", [[0], [1, 3], [2]]),
        ("no-cpuidle", [[0, 1]]),
    ],
)
def test_cpus_with_equal_settings_form_a_group(
    machine: Machines, name: str, expected: list[list[int]]
) -> None:
    groups = cpu_groups(result_of(machine(name)))
    assert [[cpu.cpu for cpu in group.cpus] for group in groups] == expected


def test_a_cpu_with_another_frequency_policy_is_another_group(machine: Machines) -> None:
    roots = machine("skylake-client")
    (roots.sys / "devices/system/cpu/cpufreq/policy2/scaling_max_freq").write_text("800000\n")
    groups = cpu_groups(result_of(roots))
    assert [[cpu.cpu for cpu in group.cpus] for group in groups] == [[0, 1, 3], [2]]
