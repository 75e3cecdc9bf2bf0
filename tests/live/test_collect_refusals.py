"""Invalid input: a single message with a remedy, the exit code, and no files left behind."""

import json
import os
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.live


@pytest.fixture
def refused(record):
    """Runs a collection that must fail with this status, an error line and a remedy."""

    def run(*words: object, status: int, says: str, leaves: bool = False, **how: object) -> None:
        recording = record(*words, **how)
        assert recording.exit_code == status, recording.messages
        lines = [line for line in recording.messages.splitlines() if "warning:" not in line]
        assert len(lines) == 2, lines
        assert lines[0].startswith("stallscope-collect: error: ")
        assert lines[1].startswith("  remedy: ")
        assert says in " ".join(lines)
        assert leaves or not recording.directory.exists()

    return run


def test_invalid_usage_is_rejected(refused) -> None:
    refused(status=2, says="no target was named")
    refused("-p", 1, "-a", status=2, says="more than one kind of target")
    refused("-p", 0, status=2, says="a pid is a number above 0")
    refused("-p", "x", status=2, says="x")
    refused("-C", "3-1", status=2, says="descends")
    refused("-p", 1, "--ring-kib", 1000, status=2, says="power of two")
    refused("-p", 1, "--stacks", "frames", status=2, says="--stacks")
    refused("-p", 1, "--stack-bytes", 8190, status=2, says="multiple of 8")
    refused("-p", 1, "--stack-bytes", 128, status=2, says="--stack-bytes")
    refused("-p", 1, "--stack-bytes", 65_536, status=2, says="--stack-bytes")
    refused("-p", 1, "--stacks", "fp", "--stack-bytes", 8192, status=2, says="copies no stacks")
    refused("-p", 1, "--bogus", status=2, says="--bogus")
    refused("--", status=2, says="no command")
    refused("-p", 1, "--duration", "1e300", status=2, says="at most 1e9")


@pytest.mark.parametrize("flag", ["--progress-fd", "--control-fd"])
def test_a_closed_descriptor_is_refused(refused, flag: str) -> None:
    refused("-p", 1, flag, 77, status=2, says="no file is open under the number 77")
    refused("-p", 1, "--start-disabled", status=2, says="--control-fd")


def test_a_missing_process_is_refused(refused) -> None:
    refused("-p", 2**22 - 3, status=4, says="there is no process")


def test_a_thread_id_is_not_accepted_as_a_process(refused, start_target) -> None:
    target = start_target("light", 1)
    threads = [int(entry.name) for entry in Path(f"/proc/{target.pid}/task").iterdir()]
    thread = next(tid for tid in threads if tid != target.pid)
    refused("-p", thread, status=4, says=f"a thread of process {target.pid}")


def test_a_zombie_process_is_refused(refused) -> None:
    with subprocess.Popen(["true"]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        refused("-p", process.pid, status=4, says="has ended already")


def test_a_missing_cpu_is_refused(refused) -> None:
    refused("-C", 60_000, status=2, says="not online")


def test_a_missing_cgroup_is_refused(refused) -> None:
    refused("-G", "no-such-group", status=4, says="no cgroup")


def test_an_unknown_event_is_refused(refused, start_target) -> None:
    refused("-e", "no_such_event", "-p", os.getpid(), status=2, says="no_such_event")


def test_a_rate_above_the_limit_names_the_file(refused) -> None:
    remedy = "/proc/sys/kernel/perf_event_max_sample_rate"
    refused("-F", 99_999_999, "-p", os.getpid(), status=2, says=remedy)


def test_another_protocol_version_is_refused(refused) -> None:
    refused("--protocol", 2, "-p", os.getpid(), status=2, says="protocol 2")


def test_a_missing_command_is_refused(refused) -> None:
    refused("--", "/no/such/command", status=4, says="No such file")


def test_the_process_of_another_user_is_refused(
    refused, as_ordinary_user, start_target, open_folder: Path
) -> None:
    target = start_target("light", 1)
    refused(
        "-p",
        target.pid,
        status=3,
        says="EACCES",
        before=as_ordinary_user,
        output=open_folder / "run",
    )


@pytest.mark.parametrize("words", [("-a",), ("-C", 0), ("--kernel", "--", "true")])
def test_options_without_permission_are_refused(
    refused, as_ordinary_user, open_folder: Path, words: tuple[object, ...]
) -> None:
    if int(Path("/proc/sys/kernel/perf_event_paranoid").read_text()) < 2:
        pytest.skip("needs the kernel's perf_event_paranoid at 2 or above")
    refused(
        *words,
        status=3,
        says="perf_event_paranoid",
        before=as_ordinary_user,
        output=open_folder / "run",
    )


def test_an_ordinary_user_samples_user_code_with_a_warning(
    record, as_ordinary_user, open_folder: Path, target_program: Path
) -> None:
    if int(Path("/proc/sys/kernel/perf_event_paranoid").read_text()) != 2:
        pytest.skip("needs the kernel's perf_event_paranoid at 2")
    recording = record(
        "--", target_program, "spin", 300, before=as_ordinary_user, output=open_folder / "run"
    )
    assert recording.exit_code == 0, recording.messages
    assert recording.document["source"]["scope"] == "user"
    assert "user-only" in recording.warnings()
    assert "only user code is sampled" in recording.messages
    refusals = {rung["event"]: rung["refused"] for rung in recording.document["source"]["ladder"]}
    if "cycles" in refusals:
        assert f"cannot be sampled here ({refusals['cycles']})" in recording.messages


def test_kernel_scope_without_permission_is_refused(
    refused, as_ordinary_user, open_folder: Path
) -> None:
    if int(Path("/proc/sys/kernel/perf_event_paranoid").read_text()) < 2:
        pytest.skip("needs the kernel's perf_event_paranoid at 2 or above")
    words = ("-e", "perf::PERF_COUNT_SW_CPU_CLOCK:k")
    run = open_folder / "run"
    refused(*words, "--", "true", status=3, says="kernel code", before=as_ordinary_user, output=run)
    refused(*words, "--user", "--", "true", status=2, says="--user", output=run)


def test_call_chains_beyond_the_kernels_limit_are_refused(refused) -> None:
    if int(Path("/proc/sys/kernel/perf_event_max_stack").read_text()) >= 1024:
        pytest.skip("needs the kernel's perf_event_max_stack below 1024")
    refused("--max-stack", 1024, "--", "true", status=3, says="perf_event_max_stack")


def test_a_low_descriptor_limit_is_reported(
    record, as_ordinary_user, refused, start_target, open_folder: Path
) -> None:
    target = start_target("sleep", 40)
    limit = ("prlimit", "--nofile=64:64")
    recording = record("-p", target.pid, "--duration", 0.3, before=limit)
    assert recording.exit_code == 0, recording.messages
    assert recording.document["attach"]["mode"] == "per-cpu filtered"
    own = start_target(
        "busy", 40, before=as_ordinary_user
    )  # threads sampled before the last thread
    refused(
        "-p",
        own.pid,
        status=3,
        says="limit of open files",
        before=(*limit, *as_ordinary_user),
        output=open_folder / "run",
    )


def test_an_existing_directory_is_refused(record, refused, start_target, tmp_path: Path) -> None:
    target = start_target("light", 1)
    words = ("-p", target.pid, "--duration", 0.3)
    run = tmp_path / "run"
    run.mkdir()
    assert record(*words).exit_code == 0  # the directory was empty
    refused(*words, status=2, says="not empty", leaves=True)
    (run / "notes.txt").write_text("mine")
    first = (run / "recording.json").read_text()
    assert record(*words, "--force").exit_code == 0
    assert (run / "notes.txt").read_text() == "mine"
    assert json.loads((run / "recording.json").read_text()) != json.loads(first)


def test_a_refused_replacement_leaves_the_old_recording(
    record, start_target, as_ordinary_user, open_folder: Path
) -> None:
    words = ("--stacks", "fp", "--duration", 0.2)
    old = start_target("light", 1, before=as_ordinary_user)
    recording = record("-p", old.pid, *words, output=open_folder / "run", before=as_ordinary_user)
    assert recording.exit_code == 0, recording.messages
    before = {path.name: path.read_bytes() for path in recording.directory.iterdir()}
    of_root = start_target("light", 1)
    again = ("--force", "-p", of_root.pid, *words)
    refused = record(*again, output=open_folder / "run", before=as_ordinary_user)
    assert refused.exit_code == 3, refused.messages
    assert {path.name: path.read_bytes() for path in recording.directory.iterdir()} == before


def test_force_replaces_recordings_only(refused, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "samples.perf").write_text("mine")
    refused("--force", "-p", os.getpid(), status=2, says="no recording", leaves=True)
    assert (run / "samples.perf").read_text() == "mine"


def test_an_unwritable_directory_is_refused(refused, as_ordinary_user, tmp_path: Path) -> None:
    refused("--", "true", status=2, says="cannot be written", before=as_ordinary_user)
    refused("--", "true", status=2, says="cannot be written", output=Path("/proc/run"))


def test_probe(collector: Path) -> None:
    done = subprocess.run([collector, "--probe"], capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    assert document["schema"] == "stallscope.probe/1"
    probes = {probe["name"]: probe for probe in document["probes"]}
    assert {"cycles", "cpu-clock", "kernel", "cpu-wide", "callchain", "stack-copy", "ring"} <= set(
        probes
    )
    for probe in probes.values():
        assert probe["ok"] is (probe["errno"] is None)


def test_help_has_examples_and_version_the_protocol(collector: Path) -> None:
    text = subprocess.run([collector, "--help"], capture_output=True, text=True, check=True).stdout
    assert "Examples:" in text
    words = [collector, "--version"]
    version = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert version.startswith("stallscope-collect ")
    assert "protocol 1" in version
