"""Limits on measuring: sysctls, and the capabilities and resource limits of this process."""

from dataclasses import dataclass

from stallscope.system_files import Roots, read_integer, read_text

# Bits of capabilities(7) that measuring can need
CAPABILITY_BITS = {
    "CAP_SYS_PTRACE": 19,
    "CAP_SYS_ADMIN": 21,
    "CAP_SYS_NICE": 23,
    "CAP_IPC_LOCK": 14,
    "CAP_SYSLOG": 34,
    "CAP_PERFMON": 38,
    "CAP_BPF": 39,
}
UNLIMITED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class KernelLimits:
    """Sysctls of kernel.*; None if this kernel does not have one."""

    perf_event_paranoid: int | None
    perf_event_mlock_kb: int | None  # per CPU, in addition to RLIMIT_MEMLOCK
    perf_event_max_sample_rate_hz: int | None
    perf_event_max_stack: int | None  # frames
    kptr_restrict: int | None
    ptrace_scope: int | None  # None without Yama
    io_uring_disabled: int | None
    schedstats: int | None  # the switch
    nmi_watchdog: int | None  # 1: uses one hardware counter per CPU


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """The rights of the calling process; None if a field cannot be read."""

    effective_uid: int | None
    capabilities: frozenset[str]  # the effective ones in CAPABILITY_BITS
    in_initial_user_namespace: bool
    seccomp_filtered: bool
    memlock_bytes: int | None  # UNLIMITED without a limit
    open_files: int | None  # the soft limit
    open_files_hard: int | None

    def may(self, *names: str) -> bool:
        """Return whether one of these capabilities holds in the initial user namespace."""
        return self.in_initial_user_namespace and bool(self.capabilities & set(names))


def read_kernel_limits(roots: Roots = Roots()) -> KernelLimits:  # noqa: B008 - immutable
    """Return the kernel's limits on measuring, from /proc/sys/kernel."""
    kernel = roots.proc / "sys" / "kernel"
    return KernelLimits(
        perf_event_paranoid=read_integer(kernel / "perf_event_paranoid"),
        perf_event_mlock_kb=read_integer(kernel / "perf_event_mlock_kb"),
        perf_event_max_sample_rate_hz=read_integer(kernel / "perf_event_max_sample_rate"),
        perf_event_max_stack=read_integer(kernel / "perf_event_max_stack"),
        kptr_restrict=read_integer(kernel / "kptr_restrict"),
        ptrace_scope=read_integer(kernel / "yama" / "ptrace_scope"),
        io_uring_disabled=read_integer(kernel / "io_uring_disabled"),
        schedstats=read_integer(kernel / "sched_schedstats"),
        nmi_watchdog=read_integer(kernel / "nmi_watchdog"),
    )


def read_process_limits(roots: Roots = Roots()) -> ProcessLimits:  # noqa: B008 - immutable
    """Return the rights of the calling process, from /proc/self/status, limits and uid_map."""
    own = roots.proc / "self"
    status: dict[str, str] = {}
    for line in (read_text(own / "status") or "").splitlines():
        name, _, value = line.partition(":")
        status.setdefault(name, value.strip())
    uids = status.get("Uid", "").split()
    memlock, _ = _limit(roots, "Max locked memory")
    files, files_hard = _limit(roots, "Max open files")
    return ProcessLimits(
        effective_uid=int(uids[1]) if len(uids) > 1 and uids[1].isdecimal() else None,
        capabilities=decode_capabilities(status.get("CapEff", "")),
        in_initial_user_namespace=_maps_every_user(read_text(own / "uid_map")),
        seccomp_filtered=status.get("Seccomp", "0") == "2",
        memlock_bytes=memlock,
        open_files=files,
        open_files_hard=files_hard,
    )


def decode_capabilities(mask: str) -> frozenset[str]:
    """Return the names in CAPABILITY_BITS of a hexadecimal mask such as CapEff."""
    try:
        bits = int(mask, 16)
    except ValueError:
        return frozenset()
    return frozenset(name for name, bit in CAPABILITY_BITS.items() if bits >> bit & 1)


def _maps_every_user(uid_map: str | None) -> bool:
    """Return whether this is the map of the initial namespace; true if the kernel has no maps."""
    return uid_map is None or uid_map.split() == ["0", "0", "4294967295"]


def _limit(roots: Roots, name: str) -> tuple[int | None, int | None]:
    """Return the soft and hard limit in one line of /proc/self/limits."""
    for line in (read_text(roots.proc / "self" / "limits") or "").splitlines():
        if line.startswith(name):
            soft, hard = [*line.removeprefix(name).split(), "", ""][:2]
            return _limit_value(soft), _limit_value(hard)
    return None, None


def _limit_value(text: str) -> int | None:
    if text == "unlimited":
        return UNLIMITED
    return int(text) if text.isdecimal() else None
