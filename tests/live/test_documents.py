"""The JSON that commands print matches the published schema of its document."""

import contextlib
import io
import sys
from pathlib import Path

import pytest

from harness.cli.command_line import main
from tests.cstates.machine_trees import expand
from tests.documents import assert_valid

ROOT = Path(__file__).parents[2]
DISK = "sim:servers=2,service=1ms"
VECTOR = ROOT / "tests" / "topdown" / "slots" / "vectors" / "icl.json"

pytestmark = pytest.mark.live


def printed(*words: str) -> str:
    """Return the output of a command that succeeds."""
    with contextlib.redirect_stdout(io.StringIO()) as output:
        status = main(list(words))
    assert status in (0, 1)
    return output.getvalue()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("doctor", ["doctor", "--json"]),
        ("cstates.show", ["cstates", "show", "--json"]),
        (
            "cstates.simulate",
            ["cstates", "simulate", "--table", "Z600", "--workload", "periodic:1ms", "--json"],
        ),
        ("pin", ["pin", "--dry-run", "--aslr", "off", "--json", "--", "true"]),
        ("pin.status", ["pin", "status", "--json"]),
        ("pin.restore", ["pin", "restore", "--json"]),
        ("topdown.replay", ["topdown", "--source", f"replay:{VECTOR}", "--json"]),
        ("io.curve", ["io", "curve", DISK, "--repeats", "1", "--duration", "0.1", "--json"]),
        ("io.probe", ["io", "probe", DISK, "--count", "100", "--json"]),
        ("io.queue", ["io", "queue", str(ROOT), "--json"]),
        (
            "lab.storm",
            ["lab", "storm", DISK, "--rounds", "1", "--seconds", "0.2", "--recommended", "2",
             "--json"],
        ),
    ],
)  # fmt: skip
def test_the_document_of_a_command_is_valid(name: str, words: list[str]) -> None:
    assert_valid(name, printed(*words))


def test_the_matrix_of_a_disk_is_valid() -> None:
    words = ("io", "mix", DISK, "--duration", "0.1", "--sizes", "4K", "--json")
    assert_valid("io.mix", printed(*words))


def test_a_profile_and_its_report_are_valid(tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    spin = "import time; end = time.monotonic() + 0.3\nwhile time.monotonic() < end: pass"
    command = ("--", sys.executable, "-c", spin)
    assert_valid("profile", printed("profile", "--json", "-o", run, *command))
    assert_valid("profile", printed("report", "--json", run))
    assert_valid("record", printed("record", "--json", "-o", f"{run}-2", *command))
    assert_valid("recording.samples", (tmp_path / "run" / "recording.json").read_text())


def test_a_recording_of_idle_intervals_and_its_analyses_are_valid(tmp_path: Path) -> None:
    run = str(tmp_path / "idle")
    words = ("cstates", "record", "--json", "--duration", "0.1", "-o", run)
    assert_valid("cstates.record", printed(*words))
    assert_valid("recording.idle", (tmp_path / "idle" / "recording.json").read_text())
    assert_valid("cstates.record", printed("report", "--json", run))
    assert_valid("cstates.explain", printed("cstates", "explain", run, "--json"))
    assert_valid("cstates.advise", printed("cstates", "advise", run, "--json"))


def test_the_latency_of_wake_ups_is_valid(tmp_path: Path) -> None:
    words = ("--kind", "timer", "--think-us", "100", "--rounds", "1", "--seconds", "0.05")
    output = printed("cstates", "latency", "--json", *words, *tree_options(tmp_path))
    assert_valid("cstates.latency", output)


def test_a_comparison_of_settings_and_a_pin_plan_are_valid(tmp_path: Path) -> None:
    roots = tree_options(tmp_path)
    words = ("--setting", "C1=--states C1", "--rounds", "1")
    output = printed("cstates", "compare", "--json", *words, *roots, "--", "true")
    assert_valid("cstates.compare", output)
    assert_valid("pin", printed("pin", "--profile", "bench", "--dry-run", "--json", *roots))


def tree_options(folder: Path) -> tuple[str, ...]:
    """Return the options of a machine with several sleep states and settings of frequency."""
    tree = expand("ice-lake-server", folder / "machine")
    return (
        f"--sysfs-root={tree}/sys",
        f"--proc-root={tree}/proc",
        f"--run-root={folder / 'run'}",
    )
