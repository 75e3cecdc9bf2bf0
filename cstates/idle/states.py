"""The sleep states of a machine's CPUs and their counters, as cpuidle shows them in sysfs.

Documented in the kernel's Documentation/ABI/testing/sysfs-devices-system-cpu and
Documentation/admin-guide/pm/cpuidle.rst.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from cstates.latency_limit import cpu_latency_limit_us
from cstates.sysfs import cpu_folder, online_cpus
from stallscope.system_files import Roots, numbers_in, read_integer, read_text

POLL = "POLL"  # the CPU spins instead of sleeping; governors fall back on it, it is never closed
MAX_STATES = 64  # the kernel's CPUIDLE_STATE_MAX is 10


class ClosedBy(StrEnum):
    """Why a governor may not choose a state."""

    DISABLE = "disable"  # its file ``disable`` was written
    DEFAULT = "default"  # its driver registered it as disabled
    LATENCY_LIMIT = "latency-limit"  # its exit latency exceeds the effective limit


@dataclass(frozen=True, slots=True)
class IdleState:
    """A state of one CPU; a number that cannot be read is None."""

    index: int
    name: str
    description: str
    exit_latency_us: int | None  # as declared by the driver or firmware
    target_residency_us: int | None
    disabled: bool | None
    default_disabled: bool | None  # None before Linux 5.6
    usage: int | None  # entries since boot
    time_us: int | None
    above: int | None  # entries that were too deep
    below: int | None  # entries that were too shallow
    rejected: int | None

    def closed_by(self, limit_us: int | None) -> ClosedBy | None:
        """Return what closes the state under an effective latency limit (None: no limit)."""
        if self.disabled:
            return ClosedBy.DEFAULT if self.default_disabled else ClosedBy.DISABLE
        beyond = limit_us is not None and (self.exit_latency_us or 0) > limit_us
        return ClosedBy.LATENCY_LIMIT if beyond else None


@dataclass(frozen=True, slots=True)
class CpuIdle:
    """The states of one CPU; ``missing`` is the reason for having none."""

    cpu: int
    online: bool
    states: tuple[IdleState, ...]
    resume_limit_us: int | None  # this CPU's own limit; None: no limit
    missing: str | None


@dataclass(frozen=True, slots=True)
class IdleMachine:
    """The machine's cpuidle driver and governor, and the selected CPUs."""

    driver: str | None
    governor: str | None
    available_governors: tuple[str, ...]
    cpus: tuple[CpuIdle, ...]
    missing: str | None  # why there is no driver


def read_idle_machine(roots: Roots, cpus: tuple[int, ...]) -> IdleMachine:
    """Return the current states of the CPUs."""
    folder = cpu_folder(roots) / "cpuidle"
    driver = _name(folder / "current_driver")
    governor = _name(folder / "current_governor") or _name(folder / "current_governor_ro")
    missing = None if driver else _why_no_driver(roots)
    online = online_cpus(roots)
    return IdleMachine(
        driver=driver,
        governor=governor,
        available_governors=tuple((read_text(folder / "available_governors") or "").split()),
        cpus=tuple(_read_cpu(roots, cpu, cpu in online, missing) for cpu in cpus),
        missing=missing,
    )


def _name(path: Path) -> str | None:
    """Return a driver's or governor's name; the kernel writes "none" if there is none."""
    text = read_text(path, 256)
    return None if text in {None, "", "none"} else text


def _why_no_driver(roots: Roots) -> str:
    options = (read_text(roots.proc / "cmdline", 65536) or "").split()
    disabling = [word for word in options if word in {"cpuidle.off=1", "idle=poll", "idle=halt"}]
    if disabling:
        return f"cpuidle has no driver: the kernel was booted with {' '.join(disabling)}"
    if not (cpu_folder(roots) / "cpuidle").is_dir():
        return "this kernel has no cpuidle (CONFIG_CPU_IDLE)"
    return "cpuidle has no driver: the firmware or hypervisor offers no sleep states"


def _read_cpu(roots: Roots, cpu: int, online: bool, missing: str | None) -> CpuIdle:
    folder = cpu_folder(roots, cpu) / "cpuidle"
    states = tuple(_read_state(folder / f"state{index}", index) for index in state_indices(folder))
    if not online:
        states, missing = (), "the CPU is offline"
    elif not states:
        missing = missing or "the driver registered no states for this CPU"
    return CpuIdle(
        cpu, online, states, cpu_latency_limit_us(roots, cpu), None if states else missing
    )


def state_indices(folder: Path) -> tuple[int, ...]:
    """Return the indices of the states in a CPU's cpuidle folder, the shallowest first."""
    return numbers_in(folder, "state")[:MAX_STATES]


def _read_state(folder: Path, index: int) -> IdleState:
    default_status = read_text(folder / "default_status", 64)
    disable = read_integer(folder / "disable")
    return IdleState(
        index=index,
        name=read_text(folder / "name", 256) or f"state{index}",
        description=read_text(folder / "desc", 256) or "",
        exit_latency_us=_count(folder / "latency"),
        target_residency_us=_count(folder / "residency"),
        disabled=None if disable is None else disable != 0,
        default_disabled=None if default_status is None else default_status == "disabled",
        usage=_count(folder / "usage"),
        time_us=_count(folder / "time"),
        above=_count(folder / "above"),
        below=_count(folder / "below"),
        rejected=_count(folder / "rejected"),
    )


def _count(path: Path) -> int | None:
    value = read_integer(path)
    return None if value is None or value < 0 else value
