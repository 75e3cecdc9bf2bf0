"""Checks of what this process may do: capabilities, other users' processes, memory, descriptors."""

from harness.machine_checks.check import Check, available, limited, unavailable
from harness.machine_checks.machine import Machine
from stallscope.kernel_limits import UNLIMITED

RING_BYTES = 2 * 2**20  # of the collector, for each CPU
PAGE_BYTES = 4096
PURPOSES = {
    "CAP_PERFMON": "sample anything",
    "CAP_SYS_ADMIN": "tracefs, sysfs knobs",
    "CAP_SYS_PTRACE": "other users' processes and their binaries",
    "CAP_IPC_LOCK": "rings without limit",
    "CAP_SYS_NICE": "real-time priority for measuring threads",
    "CAP_BPF": "BPF",
}
DESCRIPTORS_TO_SPARE = 64
ROOMY_THREADS = 100


def check_capabilities(machine: Machine) -> Check:
    """Return which capabilities that measuring can use this process holds."""
    name, process = "capabilities", machine.process
    held = [cap for cap in PURPOSES if cap in process.capabilities]
    lacking = [f"{cap} ({use})" for cap, use in PURPOSES.items() if cap not in process.capabilities]
    if held and not process.in_initial_user_namespace:
        detail = "held only inside a user namespace, where perf events do not count them"
        return limited(name, detail, "run outside of the container or of unshare --user, as root")
    # For the collector alone; lowering kernel.perf_event_paranoid lets every program do the same.
    remedy = f"sudo setcap cap_perfmon,cap_sys_ptrace,cap_syslog+ep {machine.collector}"
    if process.effective_uid == 0:  # root was deprived of them: sudo gives nothing back
        remedy = "start the container with --cap-add PERFMON --cap-add SYS_PTRACE"
    if not held:
        return unavailable(name, f"none; missing: {', '.join(lacking)}", remedy)
    if lacking:
        detail = f"held: {', '.join(held)}; missing: {', '.join(lacking)}"
        return limited(name, detail, remedy)
    return available(name, ", ".join(held))


def check_process_access(machine: Machine) -> Check:
    """Return whose processes can be observed."""
    name, scope = "process-access", machine.kernel.ptrace_scope
    yama = "" if scope is None else f"; Yama's scope {scope} binds debuggers, not sampling"
    hidden = next((m for m in machine.mounts if m.kind == "proc" and "hidepid=" in m.options), None)
    if machine.process.may("CAP_SYS_PTRACE"):
        if machine.is_confined:
            return limited(
                name,
                "every process in view; those outside of this PID namespace are not",
                "start the container with --pid=host, or run on the host",
            )
        return available(name, f"processes of every user{yama}")
    remedy = "for those of others: sudo $(command -v stallscope) profile -p PID"
    if machine.process.effective_uid == 0:
        remedy = "start the container with --cap-add SYS_PTRACE --pid=host"
    closed = "; /proc hides those of others (hidepid)" if hidden else ""
    return limited(
        name,
        f"own processes only, without CAP_SYS_PTRACE{closed}{yama}",
        remedy,
    )


def check_mlock(machine: Machine) -> Check:
    """Return whether the rings, one for each CPU, fit into what may be locked."""
    name, kernel, process = "mlock", machine.kernel, machine.process
    cpus = machine.host.cpus_online
    wanted = cpus * (RING_BYTES + PAGE_BYTES)
    if process.may("CAP_IPC_LOCK") or kernel.perf_event_paranoid == -1:
        return available(name, f"rings of {cpus} CPUs ({wanted >> 20} MiB) without limit")
    if kernel.perf_event_mlock_kb is None or process.memlock_bytes is None:
        return limited(name, "the limits cannot be read")
    per_user = cpus * kernel.perf_event_mlock_kb * 1024
    may = min(UNLIMITED, per_user + process.memlock_bytes)
    detail = f"rings of {cpus} CPUs want {wanted >> 10} KiB; " + (
        "there is no limit" if may == UNLIMITED else f"allowed are {may >> 10} KiB"
    )
    if may >= wanted:
        return available(name, detail)
    return limited(
        name,
        f"{detail}: smaller rings, sooner full",
        machine.as_root(f"sysctl kernel.perf_event_mlock_kb={(RING_BYTES + PAGE_BYTES) >> 10}"),
    )


def check_open_files(machine: Machine) -> Check:
    """Return how many threads can be followed, at one descriptor for each thread and CPU."""
    name, cpus = "open-files", machine.host.cpus_online
    soft, hard = machine.process.open_files, machine.process.open_files_hard
    if soft is None:
        return limited(name, "the limit cannot be read")
    if soft == UNLIMITED:
        return available(name, "no limit")
    threads = max(0, soft - DESCRIPTORS_TO_SPARE) // cpus
    detail = f"{soft} descriptors: {threads} threads on {cpus} CPUs, one for each thread and CPU"
    if threads >= ROOMY_THREADS:
        return available(name, detail)
    if hard is not None and hard > soft:
        return limited(name, detail, f"ulimit -n {'unlimited' if hard == UNLIMITED else hard}")
    if machine.is_confined:
        return limited(name, detail, "start the container with --ulimit nofile=1048576")
    return limited(name, detail, "sudo prlimit --pid $$ --nofile=1048576:1048576")
