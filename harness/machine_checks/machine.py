"""The machine that the checks inspect, read once."""

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
class MountEntry:
    """A line of /proc/self/mounts."""

    kind: str
    mount_point: str
    options: str


@dataclass(frozen=True)
class CheckedMachine:
    """A machine, live or recorded, with the results of test events."""

    roots: Roots
    host: Host
    kernel: KernelLimits
    process: ProcessLimits
    events: EventProbes
    collector: Path  # path of the program that records, which may be missing
    io_uring_error: str | None = None  # of the test call; None if it was not made

    def as_root(self, command: str) -> str:
        """Return the command with sudo if this user needs it."""
        if self.is_confined:
            return f"on the host: sudo {command}"
        return command if self.process.effective_uid == 0 else f"sudo {command}"

    def write_as_root(self, value: str, path: str) -> str:
        """Return the command that writes a value to a file, with sudo if this user needs it."""
        if self.is_confined:
            return f"on the host: echo {value} | sudo tee {path}"
        sudo = "" if self.process.effective_uid == 0 else "sudo "
        return f"echo {value} | {sudo}tee {path}"

    @cached_property
    def mounts(self) -> tuple[MountEntry, ...]:
        """Return the mounts in the kernel's order."""
        rows = [
            line.split() for line in (read_text(self.roots.proc / "self/mounts") or "").splitlines()
        ]
        return tuple(MountEntry(row[2], row[1], row[3]) for row in rows if len(row) >= 4)

    @cached_property
    def boot_options(self) -> tuple[str, ...]:
        """Return the words of the kernel's command line."""
        return tuple((read_text(self.roots.proc / "cmdline") or "").split())

    @cached_property
    def counter_devices(self) -> tuple[str, ...]:
        """Return the names of the CPUs' hardware counter devices."""
        devices = names_in(self.roots.sys / "bus" / "event_source" / "devices")
        plain = ("cpu", "cpu_core", "cpu_atom")
        return tuple(
            name
            for name in devices
            if name in plain or name.startswith(("armv8_", "armv7_", "apple_"))
        )

    @cached_property
    def container(self) -> str | None:
        """Return the evidence of a container, or None."""
        for marker in ("run/.containerenv", ".dockerenv"):
            if (self.roots.files / marker).exists():
                return f"/{marker}"
        groups = read_text(self.roots.proc / "self" / "cgroup") or ""
        word = next((word for word in CONTAINER_WORDS if word in groups), None)
        return f"{word} in /proc/self/cgroup" if word else None

    @property
    def is_confined(self) -> bool:
        """Return whether this process is confined by a container."""
        return self.container is not None and not self.sees_all_processes

    @property
    def sees_all_processes(self) -> bool:
        """Return whether kernel threads are visible: this is not a nested PID namespace."""
        return read_text(self.roots.proc / "2" / "comm") == "kthreadd"


def gather(roots: Roots, collector: Path) -> CheckedMachine:
    """Return the machine of the roots; on a live machine test events are opened and closed."""
    if roots.is_live:
        events = probe_events(collector)
    else:
        recorded = read_text(roots.files / "probe.json")
        events = (
            EventProbes(missing="events of a recorded machine cannot be tested")
            if recorded is None
            else decode_probes(recorded, "probe.json")
        )
    return CheckedMachine(
        roots=roots,
        host=read_host(roots),
        kernel=read_kernel_limits(roots),
        process=read_process_limits(roots),
        events=events,
        collector=collector,
        io_uring_error=probe_io_uring() if roots.is_live else None,
    )
