"""The least commands that allow more, with what they allow and how to undo them.

Commands are only printed. Each raises a permission as little as its subject needs: a capability of
the collector applies to those who may execute it, a sysctl to every user.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from harness.doctor.kernel import TRACEFS
from harness.doctor.permissions import PAGE_BYTES, RING_BYTES
from harness.doctor.result import Fix, Leftover
from harness.machine_checks.check import Check, Status
from harness.machine_checks.events import CONTAINER_REMEDY, allowed, is_privileged
from harness.machine_checks.machine import CheckedMachine

NEXT_BOOT = "until the next boot"
INSTALLATION = "until stallscope is installed again"
PROCESS = "for this shell and its commands"
CONTAINER = "for the life of the container"


@dataclass(frozen=True, slots=True)
class _Findings:
    """A machine and its checks by name."""

    machine: CheckedMachine
    statuses: dict[str, Status]

    def lacks(self, name: str) -> bool:
        """Return whether a check is not available."""
        return self.statuses.get(name, Status.AVAILABLE) is not Status.AVAILABLE

    def sysctl(
        self, subject: str, allows: str, name: str, value: int, old: int | None
    ) -> Iterator[Fix]:
        """Yield a change of a sysctl, and back to its present value."""
        machine = self.machine
        undo = () if old is None else (machine.as_root(f"sysctl kernel.{name}={old}"),)
        command = machine.as_root(f"sysctl kernel.{name}={value}")
        yield Fix(subject=subject, allows=allows, commands=(command,), undo=undo, lasts=NEXT_BOOT)


def find_fixes(
    machine: CheckedMachine, checks: Sequence[Check], leftovers: Iterable[Leftover]
) -> tuple[Fix, ...]:
    """Return the commands for each check that a permission or setting limits."""
    findings = _Findings(machine, {check.name: check.status for check in checks})
    topics: tuple[Callable[[_Findings], Iterable[Fix]], ...] = (
        _container,
        _paranoid,
        _collector,
        _kernel_symbols,
        _tracefs,
        _mlock,
        _open_files,
        _io_uring,
        _schedstats,
        _counter,
    )
    fixes = [fix for topic in topics for fix in topic(findings)]
    return (*fixes, *map(_restored, (item for item in leftovers if item.remedy)))


def _container(findings: _Findings) -> Iterator[Fix]:
    if findings.machine.is_confined and findings.lacks("software-clock"):
        yield Fix(
            subject="software-clock",
            allows="the container samples processes that it sees, with their kernel code",
            commands=(CONTAINER_REMEDY.partition(": ")[2] + " ...",),
            undo=("start the container without these options",),
            lasts=CONTAINER,
        )


def _paranoid(findings: _Findings) -> Iterator[Fix]:
    """Yield each lower level of kernel.perf_event_paranoid that a check needs."""
    machine, level = findings.machine, findings.machine.kernel.perf_event_paranoid
    if level is None or machine.is_confined or is_privileged(machine):
        return
    for check, needed, allows in (
        ("software-clock", 2, "every user samples user code of own processes"),
        ("kernel-profiling", 1, "every user samples own processes with their kernel code"),
        (
            "system-wide",
            0,
            "every user samples all CPUs, so also kernel code and processes of other users",
        ),
    ):
        if findings.lacks(check) and level > needed:
            yield from findings.sysctl(check, allows, "perf_event_paranoid", needed, level)


def _collector(findings: _Findings) -> Iterator[Fix]:
    """Yield capabilities of the collector: more than a sysctl allows, but for one program."""
    machine = findings.machine
    if machine.is_confined or machine.process.effective_uid == 0 or is_privileged(machine):
        return
    path = shlex.quote(str(machine.collector))
    undo = (f"sudo setcap -r {path}",)
    if not allowed(machine, "cpu-wide", 0).ok:
        yield Fix(
            subject="system-wide",
            allows=(
                "those who may execute the collector sample all processes and the kernel, "
                "whatever kernel.perf_event_paranoid is"
            ),
            commands=(f"sudo setcap cap_perfmon=ep {path}",),
            undo=undo,
            lasts=INSTALLATION,
        )
    if findings.lacks("process-access"):
        yield Fix(
            subject="process-access",
            allows=(
                "as above, and they read memory maps, stacks and binaries of all processes: "
                "restrict the file to a group first"
            ),
            commands=(f"sudo setcap cap_perfmon,cap_sys_ptrace=ep {path}",),
            undo=undo,
            lasts=INSTALLATION,
        )


def _kernel_symbols(findings: _Findings) -> Iterator[Fix]:
    machine, restrict = findings.machine, findings.machine.kernel.kptr_restrict
    if not findings.lacks("kernel-symbols") or not restrict or machine.is_confined:
        return
    if machine.process.may("CAP_SYSLOG"):
        allows, value = "root and CAP_SYSLOG see addresses of kernel functions", 1
    else:
        allows, value = (
            "users who may sample the kernel see addresses of its functions, which helps attackers",
            0,
        )
    if value < restrict:
        yield from findings.sysctl("kernel-symbols", allows, "kptr_restrict", value, restrict)


def _tracefs(findings: _Findings) -> Iterator[Fix]:
    machine = findings.machine
    mounted = any(mount.kind == "tracefs" for mount in machine.mounts)
    if findings.lacks("tracefs") and not mounted and not machine.is_confined:
        yield Fix(
            subject="tracefs",
            allows="root uses the kernel's tracepoints",
            commands=(machine.as_root(f"mount -t tracefs tracefs {TRACEFS}"),),
            undo=(machine.as_root(f"umount {TRACEFS}"),),
            lasts=NEXT_BOOT,
        )


def _mlock(findings: _Findings) -> Iterator[Fix]:
    if findings.lacks("mlock") and findings.machine.kernel.perf_event_mlock_kb is not None:
        old = findings.machine.kernel.perf_event_mlock_kb
        needed = (RING_BYTES + PAGE_BYTES) >> 10
        allows = "every user locks memory for complete ring buffers, so that fewer samples are lost"
        yield from findings.sysctl("mlock", allows, "perf_event_mlock_kb", needed, old)


def _open_files(findings: _Findings) -> Iterator[Fix]:
    soft, hard = findings.machine.process.open_files, findings.machine.process.open_files_hard
    if findings.lacks("open-files") and soft is not None and hard is not None and hard > soft:
        yield Fix(
            subject="open-files",
            allows="a recording follows more threads, with a descriptor per thread and CPU",
            commands=(f"ulimit -S -n {hard}",),
            undo=(f"ulimit -S -n {soft}",),
            lasts=PROCESS,
        )


def _io_uring(findings: _Findings) -> Iterator[Fix]:
    switch = findings.machine.kernel.io_uring_disabled
    if findings.lacks("io-uring") and switch in (1, 2):
        allows = "every user sets up io_uring; it was often disabled because of past holes"
        yield from findings.sysctl("io-uring", allows, "io_uring_disabled", 0, switch)


def _schedstats(findings: _Findings) -> Iterator[Fix]:
    if findings.lacks("schedstats") and findings.machine.kernel.schedstats == 0:
        allows = "the time of threads on run queues is counted; each switch costs more"
        yield from findings.sysctl("schedstats", allows, "sched_schedstats", 1, 0)


def _counter(findings: _Findings) -> Iterator[Fix]:
    if findings.machine.kernel.nmi_watchdog == 1 and findings.machine.counter_devices:
        allows = "one more hardware counter per CPU; CPUs that hang are no longer reported"
        yield from findings.sysctl("pmu", allows, "nmi_watchdog", 0, 1)


def _restored(leftover: Leftover) -> Fix:
    return Fix(
        subject=leftover.setting,
        allows=f"the usual value ({leftover.usual}) again; now: {leftover.value}",
        commands=(leftover.remedy,),
        undo=(),
        lasts=NEXT_BOOT,
    )
