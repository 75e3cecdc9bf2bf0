"""Checks of kernel features: tracing, symbols, wait statistics, cgroups."""

import re

from harness.machine_checks.check import Check, available, limited, unavailable
from harness.machine_checks.machine import CheckedMachine
from stallscope.system_files import names_in, read_text

TRACEFS = "/sys/kernel/tracing"
KALLSYMS_BYTES = 65536  # about 1,500 lines, enough to see whether addresses are shown


def check_tracefs(machine: CheckedMachine) -> Check:
    """Return whether the kernel's tracepoints can be read."""
    name, kernel = "tracefs", machine.roots.sys / "kernel"
    for folder in (kernel / "tracing", kernel / "debug" / "tracing"):
        events = names_in(folder / "events")
        if events:
            path_text = "/sys" + str(folder).removeprefix(str(machine.roots.sys))
            return available(name, f"{len(events)} groups of tracepoints in {path_text}")
    places = [mount.mount_point for mount in machine.mounts if mount.kind == "tracefs"]
    if TRACEFS in places:
        return limited(
            name,
            f"{TRACEFS} is mounted but not readable by this user: no tracepoints",
            "run as root: sudo $(command -v stallscope) ...",
        )
    if places:
        detail = f"mounted at {places[0]}, not at the usual path"
        return limited(name, detail, machine.as_root(f"mount -t tracefs tracefs {TRACEFS}"))
    if "tracefs" not in (read_text(machine.roots.proc / "filesystems") or "").split():
        return unavailable(
            name, "this kernel was built without tracing", "boot a kernel with CONFIG_FTRACE"
        )
    if machine.is_confined:
        return unavailable(
            name, "not mounted in this container", f"start it with -v {TRACEFS}:{TRACEFS}:ro"
        )
    return unavailable(
        name, "not mounted: no tracepoints", machine.as_root(f"mount -t tracefs tracefs {TRACEFS}")
    )


def check_kernel_symbols(machine: CheckedMachine) -> Check:
    """Return whether kernel addresses can be named."""
    name = "kernel-symbols"
    lines = (read_text(machine.roots.proc / "kallsyms", KALLSYMS_BYTES) or "").splitlines()
    if not lines:
        return unavailable(
            name,
            "/proc/kallsyms is missing: kernel frames stay addresses",
            "boot a kernel with CONFIG_KALLSYMS",
        )
    if any(line.split(" ", 1)[0].strip("0") for line in lines[:-1] or lines):
        return available(name, "/proc/kallsyms shows addresses")
    restrict, paranoid = machine.kernel.kptr_restrict, machine.kernel.perf_event_paranoid
    reason = (
        f"addresses are hidden (kernel.kptr_restrict {restrict}, perf_event_paranoid {paranoid})"
    )
    if machine.process.may("CAP_SYSLOG"):
        command = "sysctl kernel.kptr_restrict=1"
    elif restrict:
        command = "sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1"
    else:
        command = "sysctl kernel.perf_event_paranoid=1"
    return unavailable(name, f"{reason}: kernel frames stay unnamed", machine.as_root(command))


def check_io_uring(machine: CheckedMachine) -> Check:
    """Return whether io_uring may be used, by a test call if the machine is live."""
    name, switch = "io-uring", machine.kernel.io_uring_disabled
    tried = machine.io_uring_error
    allow = machine.as_root("sysctl kernel.io_uring_disabled=0")
    if tried == "ENOSYS" or (tried is None and switch is None and _older_than(machine, 5, 1)):
        return unavailable(
            name, "this kernel has no io_uring", "boot Linux 5.1 or later with CONFIG_IO_URING"
        )
    if tried == "EPERM":
        if switch in (None, 0):
            detail = "rejected, for example by a container's seccomp filter"
            return unavailable(
                name, detail, "start the container with --security-opt seccomp=unconfined"
            )
        return unavailable(name, f"rejected: kernel.io_uring_disabled is {switch}", allow)
    if tried is None and (
        switch == 2 or (switch == 1 and not machine.process.may("CAP_SYS_ADMIN"))
    ):
        return unavailable(name, f"kernel.io_uring_disabled is {switch}", allow)
    if switch == 1:
        return limited(name, "only for root and one group (kernel.io_uring_disabled is 1)", allow)
    return available(
        name, "rings may be set up" + ("" if tried else ", by the settings; not tested")
    )


def _older_than(machine: CheckedMachine, major: int, minor: int) -> bool:
    version = re.match(r"(\d+)\.(\d+)", machine.host.kernel_release)
    return version is not None and (int(version[1]), int(version[2])) < (major, minor)


def check_pressure(machine: CheckedMachine) -> Check:
    """Return whether the kernel counts stall times of tasks."""
    readable = [
        kind
        for kind in ("cpu", "io", "memory")
        if read_text(machine.roots.proc / "pressure" / kind)
    ]
    if len(readable) == 3:
        return available("pressure", "stall times of cpu, io, memory in /proc/pressure")
    return unavailable(
        "pressure",
        "no /proc/pressure: time stalled for CPU, memory and I/O is not counted",
        "add psi=1 to the kernel's command line and boot (needs CONFIG_PSI)",
    )


def check_schedstats(machine: CheckedMachine) -> Check:
    """Return whether the scheduler's wait statistics are available."""
    name, switch = "schedstats", machine.kernel.schedstats
    schedstat = read_text(machine.roots.proc / "schedstat", 4096)
    if switch == 0:
        detail = "disabled; waits are derived from context switches only"
        return limited(name, detail, machine.as_root("sysctl kernel.sched_schedstats=1"))
    if switch is None and not schedstat:
        return unavailable(
            name,
            "built without CONFIG_SCHEDSTATS: waits are derived from context switches only",
        )
    return available(name, "time on run queues is counted")


def check_cgroup(machine: CheckedMachine) -> Check:
    """Return whether a cgroup or container can be observed with -G."""
    name = "cgroup"
    rows = [line.split() for line in (read_text(machine.roots.proc / "cgroups") or "").splitlines()]
    # Since Linux 6.12 a kernel with only cgroup 2 may lack /proc/cgroups.
    is_enabled = not rows or any(row[:1] == ["perf_event"] and row[-1:] == ["1"] for row in rows)
    unified = [mount.mount_point for mount in machine.mounts if mount.kind == "cgroup2"]
    old = [
        mount.mount_point
        for mount in machine.mounts
        if mount.kind == "cgroup" and "perf_event" in mount.options.split(",")
    ]
    if not is_enabled:
        detail = "the perf_event controller is missing: no -G; use -p for a container's processes"
        return unavailable(name, detail, "boot a kernel with CONFIG_CGROUP_PERF")
    if old:
        return available(name, f"version 1, perf_event at {old[0]}")
    if unified:
        return available(name, f"version 2 at {unified[0]}")
    return unavailable(
        name,
        "no hierarchy with perf_event is mounted",
        machine.as_root("mount -t cgroup2 none /sys/fs/cgroup"),
    )
