"""The machine that the checks look at, gathered once."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from harness.machine_checks.probes import EventProbes, decode_probes, probe_events, probe_io_uring
from stallscope.host import Host, read_host
from stallscope.kernel_limits import (
    KernelLimits,
    ProcessLimits,
    read_kernel_limits,
    read_process_limits,
)
from stallscope.system_files import Roots, names_in, read_text

CONTAINER_WORDS = ("docker", "kubepods", "containerd", "libpod", "lxc", "machine.slice/machine-")


@dataclass(frozen=True)
class Mount:
    """One line of /proc/self/mounts."""

    kind: str
    place: str
    options: str


@dataclass(frozen=True)
class Machine:
    """A machine, live or recorded, with what its kernel answered to trials."""

    roots: Roots
    host: Host
    kernel: KernelLimits
    process: ProcessLimits
    events: EventProbes
    collector: Path  # the program that records, whether it is there or not
    io_uring_error: str | None = None  # of the trial; None where it was not made

    def as_root(self, command: str) -> str:
        """Return the command as this user types it."""
        if self.is_confined:
            return f"on the host: sudo {command}"
        return command if self.process.effective_uid == 0 else f"sudo {command}"

    @cached_property
    def mounts(self) -> tuple[Mount, ...]:
        """Return what is mounted, in the kernel's order."""
        rows = [
            line.split() for line in (read_text(self.roots.proc / "self/mounts") or "").splitlines()
        ]
        return tuple(Mount(row[2], row[1], row[3]) for row in rows if len(row) >= 4)

    @cached_property
    def boot_options(self) -> tuple[str, ...]:
        """Return the words of the kernel's command line."""
        return tuple((read_text(self.roots.proc / "cmdline") or "").split())

    @cached_property
    def counter_devices(self) -> tuple[str, ...]:
        """Return the names under which the kernel offers the CPUs' hardware counters."""
        devices = names_in(self.roots.sys / "bus" / "event_source" / "devices")
        plain = ("cpu", "cpu_core", "cpu_atom")
        return tuple(
            name
            for name in devices
            if name in plain or name.startswith(("armv8_", "armv7_", "apple_"))
        )

    @cached_property
    def container(self) -> str | None:
        """Return what marks this as a container; None where nothing does."""
        for marker in ("run/.containerenv", ".dockerenv"):
            if (self.roots.files / marker).exists():
                return f"/{marker}"
        groups = read_text(self.roots.proc / "self" / "cgroup") or ""
        found = next((word for word in CONTAINER_WORDS if word in groups), None)
        return f"{found} in /proc/self/cgroup" if found else None

    @property
    def is_confined(self) -> bool:
        """Return whether a container stands between this process and the machine."""
        return self.container is not None and not self.sees_all_processes

    @property
    def sees_all_processes(self) -> bool:
        """Return whether the kernel's own threads are in view: no PID namespace is in between."""
        return read_text(self.roots.proc / "2" / "comm") == "kthreadd"


def gather(roots: Roots, collector: Path) -> Machine:
    """Return the machine at the roots; a live one is also asked by trials, which change nothing."""
    if roots.is_live:
        events = probe_events(collector)
    else:
        recorded = read_text(roots.files / "probe.json")
        events = (
            EventProbes(missing="a recorded machine cannot be asked")
            if recorded is None
            else decode_probes(recorded, "probe.json")
        )
    return Machine(
        roots=roots,
        host=read_host(roots),
        kernel=read_kernel_limits(roots),
        process=read_process_limits(roots),
        events=events,
        collector=collector,
        io_uring_error=probe_io_uring() if roots.is_live else None,
    )
