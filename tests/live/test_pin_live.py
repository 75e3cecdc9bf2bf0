"""`stallscope pin` on this machine: short changes on a single CPU."""

import fcntl
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cstates.idle.states import read_idle_machine
from cstates.pinning.effects import Effect
from cstates.pinning.kernel_files import write_value
from cstates.pinning.request import PinRequest
from cstates.pinning.session import PinContext, PinListener, PinnedRun, run_pinned
from cstates.pinning.targets import find_targets
from cstates.sysfs import online_cpus
from stallscope.errors import UnableError
from stallscope.system_files import Roots
from tests.live.conftest import NOBODY

pytestmark = pytest.mark.live
CPUS = Path("/sys/devices/system/cpu")
DEVICE = Path("/dev/cpu_dma_latency")
CPU = max(online_cpus(Roots()) & os.sched_getaffinity(0))
LIMIT = CPUS / f"cpu{CPU}" / "power" / "pm_qos_resume_latency_us"
STALLSCOPE = Path(sys.executable).with_name("stallscope")
Pin = Callable[..., PinnedRun]


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """Hold a lock against other test runs that change this machine."""
    folder = os.open(CPUS, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    yield
    os.close(folder)


@pytest.fixture
def pin(tmp_path: Path) -> Pin:
    """Return a function that runs a command pinned."""

    def run(request: PinRequest, *words: str, partial: bool = False) -> PinnedRun:
        listener = PinListener(on_plan=lambda _: None, on_message=lambda _: None)
        context = PinContext(Roots(), tmp_path / "run")
        return run_pinned(context, request, words, allow_partial=partial, listener=listener)

    return run


def needs(path: Path) -> None:
    if not path.exists():
        pytest.skip(f"needs the kernel's {path.name}")


def governors() -> tuple[str, tuple[str, ...]]:
    needs(CPUS / f"cpu{CPU}" / "cpuidle" / "state1")
    machine = read_idle_machine(Roots(), (CPU,))
    return machine.governor or "", machine.available_governors


def entries() -> int:
    machine = read_idle_machine(Roots(), tuple(sorted(online_cpus(Roots()))))
    return sum(state.usage or 0 for cpu in machine.cpus for state in cpu.states[1:])


def test_the_process_has_the_requested_settings(pin: Pin, tmp_path: Path) -> None:
    """This needs no root and no journal."""
    request = PinRequest(cpus=str(CPU), nice=7, aslr_off=True, thp_off=True)
    text = tmp_path / "output"
    script = "nice; grep -E 'Cpus_allowed_list|THP_enabled' /proc/self/status; cat /proc/self/personality"
    assert pin(request, "sh", "-c", f"{{ {script}; }} > {text}").status == 0
    lines = text.read_text().split()
    assert lines[0] == "7"
    assert lines[lines.index("Cpus_allowed_list:") + 1] == str(CPU)
    assert lines[lines.index("THP_enabled:") + 1] == "0"
    assert int(lines[-1], 16) & 0x0040000
    assert not (tmp_path / "run").exists()


def test_closed_states_are_judged_by_the_kernels_counters(pin: Pin, needs_root: None) -> None:
    """Only haltpoll and ladder still enter closed states, except for an entry that began before."""
    governor, _ = governors()
    request = PinRequest(states=("POLL",), cpus=str(CPU))
    before = entries()
    result = pin(request, "sleep", "0.1")
    counted = entries() - before
    assert result.during.entries <= counted
    if governor not in {"haltpoll", "ladder"}:
        assert result.during.effect is not Effect.WITHOUT_EFFECT
    else:
        assert "ignores" in result.plan.warnings[0]
        assert (result.during.effect is Effect.WITHOUT_EFFECT) == (result.during.entries > 1)
    disable = CPUS / f"cpu{CPU}" / "cpuidle" / "state1" / "disable"
    assert disable.read_text() == "0\n"


def test_under_menu_closed_states_stay_closed(pin: Pin, needs_root: None) -> None:
    former, available = governors()
    if "menu" not in available:
        pytest.skip("needs the kernel's governor menu")
    result = pin(PinRequest(states=("POLL",), idle_governor="menu", cpus=str(CPU)), "sleep", "0.05")
    assert result.during.effect is not Effect.WITHOUT_EFFECT
    assert governors()[0] == former
    assert not result.foreign


def held_limit() -> int:
    with open(os.open(DEVICE, os.O_RDONLY), "rb", buffering=0) as device:
        return int(struct.unpack("=i", device.read(4))[0])


def test_a_latency_limit_ends_with_the_command(pin: Pin, needs_root: None, tmp_path: Path) -> None:
    needs(DEVICE)
    governors()
    before = held_limit()
    text = tmp_path / "output"
    request = PinRequest(max_exit_latency_us=min(before, 1_000_000) - 1)
    assert pin(request, "sh", "-c", f"head -c 4 {DEVICE} > {text}").status == 0
    assert struct.unpack("=i", text.read_bytes())[0] == request.max_exit_latency_us
    assert held_limit() == before


def test_after_sigkill_the_guardian_restores(needs_root: None, tmp_path: Path) -> None:
    needs(LIMIT)
    if find_targets(Roots(), PinRequest(cpus=str(CPU))).all_capped:
        pytest.skip("needs two CPUs: the limit of all is held by a descriptor")
    governors()
    before = LIMIT.read_text()
    words = ["--max-exit-latency", "999999", "--cpus", str(CPU), f"--run-root={tmp_path}/run"]
    pin = subprocess.Popen(
        [STALLSCOPE, "pin", *words, "--", "sh", "-c", f"cat {LIMIT}; exec sleep 600"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert pin.stdout is not None
    assert pin.stdout.readline() == "999999\n"
    pin.send_signal(signal.SIGKILL)
    _, message = pin.communicate(
        timeout=60
    )  # until the guardian, which holds our stderr, has ended
    assert "its guardian restored" in message
    assert LIMIT.read_text() == before


def test_without_root_the_permitted_settings_are_listed_and_applied(
    pin: Pin, needs_root: None
) -> None:
    governors()
    request = PinRequest(states=("POLL",), cpus=str(CPU), aslr_off=True)
    child = os.fork()
    if not child:
        status = 9
        try:
            os.setresuid(NOBODY, NOBODY, NOBODY)
            try:
                pin(request, "true")
            except UnableError as error:
                refused = "by root only" in error.message and "affinity, aslr" in error.message
                done = pin(request, "true", partial=True)
                status = 0 if refused and done.status == 0 and not done.plan.journaled else 8
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_rejected_write_raises_the_kernels_error(needs_root: None) -> None:
    """Python's file objects would lose this error at close."""
    needs(LIMIT)
    before = LIMIT.read_text()
    with pytest.raises(OSError, match="Invalid argument"):
        write_value(Roots(), str(LIMIT), "nonsense")
    assert LIMIT.read_text() == before
