"""`stallscope pin` on generated machines: JSON, text, errors."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cli.command_line import main
from tests.cstates.machine_trees import expand

Machine = Callable[[str], Path]
STALLSCOPE = Path(sys.executable).with_name("stallscope")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Return a function that writes a machine tree by name."""
    return lambda name: expand(name, tmp_path / name)


def roots(tree: Path) -> list[str]:
    return [
        f"--sysfs-root={tree}/sys",
        f"--proc-root={tree}/proc",
        f"--run-root={tree.parent}/run",
    ]


def test_the_json_plan_has_the_documented_fields(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = machine("ice-lake-server")
    words = ["--dry-run", "--json", "--cpus", "1", "--states", "C1", "--aslr", "off"]
    assert main(["pin", *roots(tree), *words]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "stallscope.pin/1"
    assert all({"path", "old", "new", "scope"} <= set(item) for item in document["plan"])
    assert [item["scope"] for item in document["plan"]] == ["process"] * 2 + ["sysfs"] * 4
    last = document["plan"][-1]
    assert (last["path"], last["old"], last["new"]) == (
        "/sys/devices/system/cpu/cpu3/cpuidle/state3/disable", "0", "1",
    )  # fmt: skip
    assert not (tree.parent / "run").exists(), "a dry run leaves nothing behind"


def test_the_text_has_the_plan_and_the_skipped_options(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pin", *roots(machine("zen4-server")), "--profile", "bench", "--dry-run"]) == 0
    output = capsys.readouterr().out
    assert "pin: CPUs 0-1, and their siblings 2-3" in output
    assert "/sys/devices/system/cpu/cpufreq/boost: 1 -> 0" in output
    assert "left out: irq-away: the command uses all online CPUs" in output


def test_equal_changes_of_several_cpus_share_a_line(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = machine("ice-lake-server")
    (tree / "sys/devices/system/cpu/cpu1/cpuidle/state3/disable").write_text("1\n")
    words = ["--states", "C1", "--frequency", "base", "--irq-away", "--cpus", "0,1", "--dry-run"]
    (tree / "sys/devices/system/cpu/cpu2/topology/thread_siblings_list").write_text("2\n")
    (tree / "sys/devices/system/cpu/cpu0/topology/thread_siblings_list").write_text("0\n")
    assert main(["pin", *roots(tree), *words]) == 0
    output = [line.split(" ", 1)[-1].strip() for line in capsys.readouterr().out.splitlines()]
    cpus = "/sys/devices/system/cpu"
    assert f"sysfs      {cpus}/cpuN/cpuidle/state2/disable: 0 -> 1 (N: 0-1,3)" in output
    assert f"sysfs      {cpus}/cpuN/cpuidle/state3/disable: 0 -> 1 (N: 0,3)" in output
    assert (
        f"sysfs      {cpus}/cpufreq/policyN/scaling_min_freq: 800000 -> 2300000 (N: 0-1,3)"
        in output
    )
    assert "sysfs      /proc/irq/24/smp_affinity_list: 0-3 -> 2" in output


def test_the_commands_status_is_returned(
    machine: Machine, capfd: pytest.CaptureFixture[str]
) -> None:
    tree = machine("zen4-server")
    options = roots(tree)
    assert main(["pin", *options, "--no-turbo", "--", "sh", "-c", f"cat {tree}/sys/devices/system/cpu/cpufreq/boost; exit 42"]) == 42  # fmt: skip
    assert capfd.readouterr().out == "0\n"


def test_verbs_are_recognized_only_as_the_first_word(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    options = roots(machine("zen4-server"))
    assert main(["pin", "status", *options]) == 0
    assert capsys.readouterr().out == "nothing is pinned\n"
    assert main(["pin", "restore", *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["journals"] == []
    assert main(["pin", *options, "--no-turbo", "--", "status"]) == 4
    assert "cannot run status" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--", "true"], 2, "no setting to pin"),
        (["--no-turbo"], 2, "name the command to run"),
        (["--states", "C9", "--", "true"], 2, "no CPU has a state 'C9'"),
        (["--governor", "fast", "--", "true"], 2, "no such frequency governor"),
        (["--cpus", "0-3,8-,x", "--no-turbo", "--", "true"], 2, "'8-' is neither a CPU"),
        (["--cpus", "77", "--no-turbo", "--", "true"], 2, "no CPU 77"),
        (["--frequency", "fast", "--", "true"], 2, "is not a frequency of policy0"),
        (["--epp", "quick", "--", "true"], 2, "unknown energy preference"),
        (["--epb", "3", "--", "true"], 3, "have no energy bias"),
        (["--no-turbo", "--json", "--", "true"], 2, "--json prints the plan only"),
    ],
)
def test_invalid_requests_are_rejected_with_a_reason(
    machine: Machine,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    status: int,
    message: str,
) -> None:
    assert main(["pin", *roots(machine("zen4-server")), *words]) == status
    assert message in capsys.readouterr().err


def test_a_foreign_journal_is_rejected(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = machine("zen4-server")
    run = tree.parent / "run"
    run.mkdir(mode=0o700)
    entry = ["boost", "/sys/../../etc/passwd", "1", "0"]
    document = {"schema": "stallscope.pin.journal/1.0", "boot_id": "x", "roots": ["a", "b"]}
    document |= {"owner": {"pid": 1, "start_ticks": 1, "name": "x"}, "entries": [entry]}
    (run / "pin-0.json").write_text(json.dumps(document))
    assert main(["pin", "restore", *roots(tree)]) == 3
    assert "is not a path of boost" in capsys.readouterr().err
    run.chmod(0o777)
    assert main(["pin", "restore", *roots(tree)]) == 3
    assert "another user owns it" in capsys.readouterr().err


def test_a_read_only_sysfs_lists_the_permitted_settings(
    machine: Machine, own_mounts: tuple[str, ...], needs_root: None
) -> None:
    tree = machine("ice-lake-server")
    before = {path: path.read_bytes() for path in (tree / "sys").rglob("*") if path.is_file()}
    script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'

    def pinned(*request: str) -> subprocess.CompletedProcess[str]:
        words = [str(STALLSCOPE), "pin", *roots(tree), *request, "--", "true"]
        return subprocess.run(
            [*own_mounts, "sh", "-c", script, str(tree / "sys"), *words],
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    for more, status in ([], 3), (["--allow-partial"], 0):
        run = pinned(*more, "--states", "C1", "--cpus", "1", "--aslr", "off")
        assert run.returncode == status, run.stderr
        assert "mounted read-only" in run.stderr
        assert "affinity, aslr" in run.stderr
        assert ("run where it is writable" in run.stderr) == bool(status)  # we are root here
    result = pinned("--states", "C1", "--allow-partial")
    assert result.returncode == 0
    output = result.stdout + result.stderr
    assert "nothing to change" in output
    assert "all settings have the requested values" not in output
    assert before == {path: path.read_bytes() for path in before}


def test_a_tree_with_a_link_out_of_it_changes_nothing(
    machine: Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = machine("zen4-server")
    policy = tree / "sys/devices/system/cpu/cpufreq/policy0"
    outside = tmp_path / "outside"
    policy.rename(outside)
    policy.symlink_to(outside)
    before = {path: path.read_bytes() for path in (*outside.iterdir(),) if path.is_file()}
    assert main(["pin", *roots(tree), "--governor", "performance", "--", "true"]) == 3
    assert "cannot be restored exactly, so it is not changed" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in before} == before


def test_a_setting_that_is_left_is_reported_until_it_is_restored(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = machine("ice-lake-server")
    options = roots(tree)
    states, away = tree / "sys/devices/system/cpu/cpu3/cpuidle", tree / "away"
    assert main(["pin", *options, "--states", "C1", "--", "mv", str(states), str(away)]) == 0
    capsys.readouterr()
    for _ in range(2):
        assert main(["pin", "restore", *options]) == 3
        output = capsys.readouterr()
        assert "does not exist now, as while a CPU is offline" in output.out
        assert "could not be restored: /sys/devices/system/cpu/cpu3/cpuidle" in output.err
    away.rename(states)
    assert main(["pin", "restore", *options]) == 0
    assert "2 settings restored" in capsys.readouterr().out
    assert main(["pin", "restore", *options]) == 0
    assert "nothing to restore" in capsys.readouterr().out
