"""The identity of a machine in recordings, benchmarks and the output of doctor."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from stallscope.cpu_lists import cpus_in_list
from stallscope.system_files import Roots, read_text

UNKNOWN = "unknown"

# Names in the firmware of virtual machines, in lower case
HYPERVISOR_FIRMWARE = (
    ("qemu", "kvm"),
    ("kvm", "kvm"),
    ("google compute engine", "kvm"),
    ("openstack", "kvm"),
    ("digitalocean", "kvm"),
    ("firecracker", "kvm"),
    ("amazon ec2", "amazon"),
    ("vmware", "vmware"),
    ("virtualbox", "virtualbox"),
    ("innotek", "virtualbox"),
    ("xen", "xen"),
    ("virtual machine", "hyper-v"),  # Microsoft's product name
    ("parallels", "parallels"),
    ("bhyve", "bhyve"),
)


@dataclass(frozen=True, slots=True)
class Host:
    """A machine; fields that cannot be read are None or "unknown"."""

    hostname: str
    kernel_release: str
    kernel_version: str
    architecture: str  # as uname prints it: x86_64, aarch64
    cpu_model: str
    cpus_online: int
    memory_bytes: int | None
    virtualization: str | None  # None if no hypervisor was detected
    boot_id: str | None


def read_host(roots: Roots = Roots()) -> Host:  # noqa: B008 - immutable
    """Return the machine at the roots, from /proc/cpuinfo, sysfs and DMI."""
    cpu = first_cpu(roots)
    kernel = roots.proc / "sys" / "kernel"
    return Host(
        hostname=read_text(kernel / "hostname") or UNKNOWN,
        kernel_release=read_text(kernel / "osrelease") or UNKNOWN,
        kernel_version=read_text(kernel / "version") or UNKNOWN,
        architecture=_architecture(roots, cpu),
        cpu_model=_cpu_model(cpu),
        cpus_online=_cpus_online(roots),
        memory_bytes=_memory_bytes(roots),
        virtualization=virtualization(roots, cpu),
        boot_id=read_text(kernel / "random" / "boot_id") or None,
    )


def first_cpu(roots: Roots) -> dict[str, str]:
    """Return the fields of the first CPU in /proc/cpuinfo by name; empty if there is none."""
    text = read_text(roots.proc / "cpuinfo") or ""
    fields: dict[str, str] = {}
    for line in text.split("\n\n", 1)[0].splitlines():
        name, separator, value = line.partition(":")
        if separator:
            fields.setdefault(name.strip(), value.strip())
    return fields


def _cpu_model(cpu: Mapping[str, str]) -> str:
    if "model name" in cpu:
        return cpu["model name"]
    if "CPU implementer" in cpu:
        return f"arm64 implementer {cpu['CPU implementer']} part {cpu.get('CPU part', '?')}"
    return UNKNOWN


def _architecture(roots: Roots, cpu: Mapping[str, str]) -> str:
    architecture = read_text(roots.proc / "sys" / "kernel" / "arch")  # since Linux 6.1
    if architecture:
        return architecture
    if roots.is_live:
        return os.uname().machine
    return "x86_64" if "vendor_id" in cpu else "aarch64" if "CPU implementer" in cpu else UNKNOWN


def _cpus_online(roots: Roots) -> int:
    online = cpus_in_list(read_text(roots.sys / "devices" / "system" / "cpu" / "online") or "")
    if online:
        return len(online)
    text = read_text(roots.proc / "cpuinfo") or ""
    return sum(line.startswith("processor") for line in text.splitlines()) or 1


def _memory_bytes(roots: Roots) -> int | None:
    for line in (read_text(roots.proc / "meminfo") or "").splitlines():
        words = line.split()
        if words[:1] == ["MemTotal:"] and len(words) > 1 and words[1].isdecimal():
            return int(words[1]) * 1024
    return None


def virtualization(roots: Roots, cpu: Mapping[str, str]) -> str | None:
    """Return the name of the hypervisor, "hypervisor" if unknown, None if none was detected."""
    kind = read_text(roots.sys / "hypervisor" / "type")
    if kind == "xen":
        # Xen's privileged domain owns the hardware, but also runs above the hypervisor.
        return "xen"
    named = _firmware_hypervisor(roots) or _paravirtual_clock(roots)
    flagged = "hypervisor" in cpu.get("flags", "").split()
    if flagged:
        return named or "hypervisor"
    # arm64 has no CPU flag; the firmware decides.
    return named if "flags" not in cpu else None


def _firmware_hypervisor(roots: Roots) -> str | None:
    dmi = roots.sys / "class" / "dmi" / "id"
    names = [read_text(dmi / name) or "" for name in ("sys_vendor", "product_name", "bios_vendor")]
    firmware = " ".join(names).lower()
    if ".metal" in firmware:
        return None
    for word, hypervisor in HYPERVISOR_FIRMWARE:
        if word in firmware:
            return hypervisor
    tree = read_text(roots.proc / "device-tree" / "hypervisor" / "compatible") or ""
    return "xen" if "xen" in tree else "kvm" if "kvm" in tree else None


def _paravirtual_clock(roots: Roots) -> str | None:
    folder = roots.sys / "devices" / "system" / "clocksource" / "clocksource0"
    clocks = read_text(folder / "available_clocksource") or ""
    for clock, hypervisor in (("kvm-clock", "kvm"), ("xen", "xen"), ("hyperv", "hyper-v")):
        if clock in clocks:
            return hypervisor
    return None
