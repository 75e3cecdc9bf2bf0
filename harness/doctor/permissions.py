"""Checks of permissions: capabilities, other users' processes, locked memory, descriptors."""

from harness.machine_checks.check import Check, available, limited, unavailable
from harness.machine_checks.machine import CheckedMachine
from stallscope.kernel_limits import UNLIMITED

RING_BYTES = 2 * 2**20  # the collector's ring buffer per CPU
PAGE_BYTES = 4096
PURPOSES = {
    "CAP_PERFMON": "sample anything",
    "CAP_SYS_ADMIN": "tracefs, sysfs knobs",
    "CAP_SYS_PTRACE": "other users' processes and their binaries",
    "CAP_IPC_LOCK": "rings without limit",
    "CAP_SYS_NICE": "real-time priority for measuring threads",
    "CAP_BPF": "BPF",
}
RESERVED_DESCRIPTORS = 64
ENOUGH_THREADS = 100


def check_capabilities(machine: CheckedMachine) -> Check:
    """Return the capabilities of this process that measuring can use."""
    name, process = "capabilities", machine.process
    held = [cap for cap in PURPOSES if cap in process.capabilities]
    lacking = [f"{cap} ({use})" for cap, use in PURPOSES.items() if cap not in process.capabilities]
    if held and not process.in_initial_user_namespace:
        detail = "held only inside a user namespace, where perf events ignore them"
        return limited(name, detail, "run as root outside of the container or of unshare --user")
    # The capabilities are for the collector only; a lower kernel.perf_event_paranoid is for all.
    remedy = f"sudo setcap cap_perfmon,cap_sys_ptrace,cap_syslog+ep {machine.collector}"
    if process.effective_uid == 0:  # root without capabilities: sudo cannot restore them
        remedy = "start the container with --cap-add PERFMON --cap-add SYS_PTRACE"
    if not held:
        return unavailable(name, f"none; missing: {', '.join(lacking)}", remedy)
    if lacking:
        detail = f"held: {', '.join(held)}; missing: {', '.join(lacking)}"
        return limited(name, detail, remedy)
    return available(name, ", ".join(held))


def check_process_access(machine: CheckedMachine) -> Check:
    """Return which users' processes can be observed."""
    name, scope = "process-access", machine.kernel.ptrace_scope
    yama = "" if scope is None else f"; Yama's scope {scope} restricts debuggers, not sampling"
    hidden = next((m for m in machine.mounts if m.kind == "proc" and "hidepid=" in m.options), None)
    if machine.process.may("CAP_SYS_PTRACE"):
        if machine.is_confined:
            return limited(
                name,
                "all visible processes; processes outside of this PID namespace are hidden",
                "start the container with --pid=host, or run on the host",
            )
        return available(name, f"processes of every user{yama}")
    remedy = "for other users' processes: sudo $(command -v stallscope) profile -p PID"
    if machine.process.effective_uid == 0:
        remedy = "start the container with --cap-add SYS_PTRACE --pid=host"
    hidepid = "; /proc hides other users' processes (hidepid)" if hidden else ""
    return limited(
        name,
        f"own processes only, without CAP_SYS_PTRACE{hidepid}{yama}",
        remedy,
    )


def check_mlock(machine: CheckedMachine) -> Check:
    """Return whether the ring buffers, one per CPU, fit into the locked memory limit."""
    name, kernel, process = "mlock", machine.kernel, machine.process
    cpus = machine.host.cpus_online
    needed = cpus * (RING_BYTES + PAGE_BYTES)
    if process.may("CAP_IPC_LOCK") or kernel.perf_event_paranoid == -1:
        return available(name, f"rings of {cpus} CPUs ({needed >> 20} MiB) without limit")
    if kernel.perf_event_mlock_kb is None or process.memlock_bytes is None:
        return limited(name, "the limits cannot be read")
    per_user = cpus * kernel.perf_event_mlock_kb * 1024
    limit = min(UNLIMITED, per_user + process.memlock_bytes)
    detail = f"rings of {cpus} CPUs need {needed >> 10} KiB; " + (
        "there is no limit" if limit == UNLIMITED else f"the limit is {limit >> 10} KiB"
    )
    if limit >= needed:
        return available(name, detail)
    return limited(
        name,
        f"{detail}: smaller rings are used, which overflow sooner",
        machine.as_root(f"sysctl kernel.perf_event_mlock_kb={(RING_BYTES + PAGE_BYTES) >> 10}"),
    )


def check_open_files(machine: CheckedMachine) -> Check:
    """Return the number of threads that can be followed, with a descriptor per thread and CPU."""
    name, cpus = "open-files", machine.host.cpus_online
    soft, hard = machine.process.open_files, machine.process.open_files_hard
    if soft is None:
        return limited(name, "the limit cannot be read")
    if soft == UNLIMITED:
        return available(name, "no limit")
    threads = max(0, soft - RESERVED_DESCRIPTORS) // cpus
    detail = (
        f"{soft} descriptors: enough for {threads} threads on {cpus} CPUs, "
        "with one per thread and CPU"
    )
    if threads >= ENOUGH_THREADS:
        return available(name, detail)
    if hard is not None and hard > soft:
        return limited(name, detail, f"ulimit -n {'unlimited' if hard == UNLIMITED else hard}")
    if machine.is_confined:
        return limited(name, detail, "start the container with --ulimit nofile=1048576")
    return limited(name, detail, "sudo prlimit --pid $$ --nofile=1048576:1048576")
