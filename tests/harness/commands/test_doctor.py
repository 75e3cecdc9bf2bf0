"""`stallscope doctor`: document, colours, width, no changes."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import click
import pytest

from harness.cli.command_line import main
from harness.doctor.checks import CHECKS, run_checks
from harness.doctor.result import DoctorResult
from harness.doctor.text import lines
from harness.machine_checks.machine import gather
from stallscope.system_files import Roots
from tests.documents import assert_valid

MACHINE = Path(__file__).parents[2] / "machines" / "intel-metal"
RECORDED = ["--proc-root", str(MACHINE / "proc"), "--sysfs-root", str(MACHINE / "sys")]
COMMAND = [
    sys.executable,
    "-c",
    "import sys; from harness.cli.command_line import main; sys.exit(main())",
]


def test_the_document_has_only_the_documented_fields(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json", *RECORDED]) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["schema", "checks", "leftovers"]
    assert document["schema"] == "stallscope.doctor/1"
    for check in document["checks"]:
        assert list(check) == ["name", "status", "detail", "remedy"]
        assert check["status"] in ("available", "limited", "unavailable")


def test_fixes_are_printed_and_valid(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("user-at-paranoid-3", "container", "intel-metal"):
        machine = MACHINE.with_name(name)
        roots = ["--proc-root", str(machine / "proc"), "--sysfs-root", str(machine / "sys")]
        assert main(["doctor", "--fix", "--json", *roots]) == 0
        assert_valid("doctor.fix", capsys.readouterr().out)
        assert main(["doctor", "--fix", *roots]) == 0
        assert "Nothing was run" in capsys.readouterr().out


def test_text_in_a_pipe_has_no_colours(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", *RECORDED]) == 0
    output = capsys.readouterr()
    assert "\x1b" not in output.out
    assert output.err == ""
    golden = (MACHINE / "doctor.txt").read_text()
    assert output.out == golden


def on_terminal(*arguments: str, **environment: str) -> str:
    """Return what the command writes to a terminal."""
    leader, follower = pty.openpty()
    try:
        with subprocess.Popen(
            [*COMMAND, "doctor", *arguments],
            stdout=follower,
            env={**os.environ, "TERM": "xterm", **environment},
        ) as process:
            os.close(follower)
            parts = []
            try:
                while part := os.read(leader, 65536):
                    parts.append(part)
            except OSError:
                pass  # the other side of the terminal was closed: the output is complete
        assert process.returncode == 0
    finally:
        os.close(leader)
    return b"".join(parts).decode()


def test_a_terminal_gets_colours_unless_no_color_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[32mavailable" in on_terminal(*RECORDED, COLUMNS="100")
    assert "\x1b" not in on_terminal(*RECORDED, NO_COLOR="1")


@pytest.mark.parametrize("width", [40, 60, 80, 132])
def test_lines_fit_the_terminal(width: int) -> None:
    checks = run_checks(gather(Roots.recorded(MACHINE), Path("/nonexistent")))
    for line in lines(DoctorResult(checks=checks), width):
        plain = click.unstyle(line)
        longest_word = max(map(len, plain.split()), default=0)
        assert len(plain) <= width or longest_word > width // 2, plain


def test_a_missing_root_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--proc-root", "/nonexistent"]) == 2
    assert "/nonexistent" in capsys.readouterr().err


def test_doctor_loads_no_heavy_module() -> None:
    code = (
        "import sys; from harness.cli.command_line import main;"
        f"main(['doctor', '--json', *{RECORDED!r}]);"
        "sys.exit(bool({'pandas', 'numpy', 'matplotlib', 'elftools'} & set(sys.modules)))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode
        == 0
    )


def settings() -> dict[str, str]:
    """Return the kernel settings that doctor names and must not change.

    Of the mounts only those of kernel interfaces: other tests mount disks at the same time, and the kernel mounts
    tracefs below debugfs when a process looks there.
    """
    kernel = Path("/proc/sys/kernel")
    return {
        path.name: path.read_text()
        for pattern in ("perf_event_*", "kptr_restrict", "io_uring*", "nmi_watchdog")
        for path in kernel.glob(pattern)
        # the kernel itself lowers the sample rate when interrupts take too long
        if path.name != "perf_event_max_sample_rate"
    } | {
        place: options
        for _, place, kind, options, *_ in map(
            str.split, Path("/proc/self/mounts").read_text().splitlines()
        )
        if kind in {"tracefs", "debugfs", "cgroup2", "sysfs", "proc"}
        and place.startswith(("/sys", "/proc"))
        and place != "/sys/kernel/debug/tracing"
    }


def test_this_machine_is_not_changed() -> None:
    before = settings()
    run = subprocess.run([*COMMAND, "doctor", "--json"], capture_output=True, text=True, check=True)
    assert len(json.loads(run.stdout)["checks"]) == len(CHECKS)
    subprocess.run([*COMMAND, "doctor", "--fix"], capture_output=True, check=True)
    assert settings() == before


def test_doctor_works_for_an_ordinary_user(needs_root: None) -> None:
    # The first call loads modules that only root may be able to read.
    code = (
        "import os, sys; from harness.cli.command_line import main\n"
        "main(['doctor', '--json'])\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "sys.exit(main(['doctor', '--json']))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    result = {check["name"]: check for check in json.loads(run.stdout.splitlines()[1])["checks"]}
    assert result["capabilities"]["status"] == "unavailable"
    assert result["process-access"]["status"] == "limited"
