"""Invalid plans and targets: a single message with a remedy, and no files left behind."""

import os
from pathlib import Path

import pytest

from tests.live.counting import plan_of

pytestmark = pytest.mark.live
PLAN = plan_of(["task-clock", "page-faults"])
NO_EVENT = {"type": 1, "config": 9999}  # a software event that no kernel has
CYCLES = {"type": 0, "config": "0x0"}


@pytest.fixture
def refused(count):
    """Runs a counting that must fail with this status, an error line and a remedy."""

    def run(plan: object, *words: object, status: int, says: str, **how: object) -> None:
        done = count(plan, *words, **how)
        assert done.exit_code == status, done.messages
        error, remedy = done.messages.splitlines()
        assert error.startswith("stallscope-collect: error: ")
        assert remedy.startswith("  remedy: ")
        assert says in done.messages
        assert not done.directory.exists()

    return run


@pytest.fixture(scope="session")
def without_pmu() -> None:
    devices = Path("/sys/bus/event_source/devices")
    if any(devices.glob("cpu*")) or any(devices.glob("armv8*")):
        pytest.skip("needs a machine without hardware counters: this one has some")


def test_invalid_usage_is_rejected(refused) -> None:
    refused(PLAN, status=2, says="no target was named")
    refused(PLAN, "-p", 1, "-a", status=2, says="more than one kind of target")
    refused(PLAN, "-p", 0, status=2, says="a pid is a number above 0")
    refused(PLAN, "-p", 1, "--window", 49, status=2, says="--window")
    refused(PLAN, "-a", "--per-thread", status=2, says="--per-thread")
    refused(PLAN, "-p", 1, "--duration", "1e300", status=2, says="at most 1e9")
    refused(PLAN, "-p", 1, "--start-disabled", status=2, says="--control-fd")
    refused(PLAN, "-p", 1, "--protocol", 2, status=2, says="protocol 2")
    refused(PLAN, "-C", "3-1", status=2, says="descends")
    refused(PLAN, "--", status=2, says="no command")


def test_an_invalid_plan_is_refused(refused) -> None:
    refused("", "-p", os.getpid(), status=2, says="is not a count plan")
    refused("{", "-p", os.getpid(), status=2, says="is not a count plan")
    refused({"schema": "x"}, "-p", os.getpid(), status=2, says="stallscope.count-plan/1")


def test_a_missing_target_is_refused(refused) -> None:
    refused(PLAN, "-p", 2**22 - 3, status=4, says="there is no process")
    refused(PLAN, "--tid", 2**22 - 3, status=4, says="there is no thread")
    refused(PLAN, "-C", 60_000, status=2, says="not online")
    refused(PLAN, "-G", "no-such-group", status=4, says="no cgroup")
    refused(PLAN, "--", "/no/such/command", status=4, says="No such file")


def test_an_uncountable_event_is_named_without_a_column(count) -> None:
    plan = plan_of(["task-clock", "no-event"], ["no-event"], no_event=NO_EVENT)
    done = count(plan, "--", "/bin/true")
    assert done.exit_code == 0, done.messages
    assert [group["events"] for group in done.header["groups"]] == [["task-clock"]]
    refused = done.unavailable()["no-event"]
    assert refused["errno"] in {"ENOENT", "EINVAL"}
    assert refused["reason"]
    assert refused["remedy"]
    assert "no-event is not counted" in done.messages
    assert [event_set["groups"] for event_set in done.document["counting"]["sets"]] == [[0], []]


def test_a_plan_without_a_countable_event_is_refused(refused) -> None:
    plan = plan_of(["no-event"], no_event=NO_EVENT)
    refused(plan, "--", "/bin/true", status=3, says="no-event")


def test_hardware_events_without_a_pmu_are_a_single_error(refused, without_pmu: None) -> None:
    plan = plan_of(["cycles", "instructions"])
    refused(plan, "--", "/bin/true", status=3, says="no hardware counters")


def test_hardware_events_among_others_are_unavailable_and_not_zero(
    count, without_pmu: None
) -> None:
    done = count(plan_of(["cycles", "task-clock"], cycles=CYCLES), "--", "/bin/true")
    assert done.exit_code == 0, done.messages
    assert done.unavailable()["cycles"]["errno"] == "ENOENT"
    assert done.last("task-clock") > 0


def test_the_process_of_another_user_is_refused(
    refused, as_ordinary_user, start_target, open_folder: Path
) -> None:
    target = start_target("light", 1)
    how = {"before": as_ordinary_user, "output": open_folder / "run"}
    refused(PLAN, "-p", target.pid, status=3, says="cap_sys_ptrace", **how)


def test_an_unprivileged_user_counts_user_code_with_a_note(
    count, as_ordinary_user, open_folder: Path
) -> None:
    if int(Path("/proc/sys/kernel/perf_event_paranoid").read_text()) != 2:
        pytest.skip("needs the kernel's perf_event_paranoid at 2")
    plan = plan_of(["task-clock", "context-switches"])
    done = count(plan, "--", "/bin/true", before=as_ordinary_user, output=open_folder / "run")
    assert done.exit_code == 0, done.messages
    assert done.document["source"]["scope"] == "user"
    assert "user-only" in done.warnings()
    assert "context-switches" in done.unavailable()


def test_a_plan_beyond_the_descriptor_limit_is_refused(count, start_target) -> None:
    target = start_target("light", 8)
    before = ("prlimit", "--nofile=30:30")
    done = count(PLAN, "-p", target.pid, "--duration", 0.1, before=before)
    assert done.exit_code == 3
    assert "-G" in done.messages
    assert "ulimit -n" in done.messages
