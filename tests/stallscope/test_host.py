"""The identity of recorded machines and of this machine."""

import os
from pathlib import Path

import pytest

from stallscope.host import read_host
from stallscope.system_files import Roots

MACHINES = Path(__file__).parents[1] / "machines"


@pytest.mark.parametrize(
    ("name", "architecture", "cpus", "hypervisor"),
    [
        ("vm-without-pmu", "x86_64", 2, "kvm"),
        ("intel-metal", "x86_64", 64, None),
        ("amd-metal", "x86_64", 128, None),
        ("arm64-guest", "aarch64", 2, "amazon"),
    ],
)
def test_recorded_machines_are_identified(
    name: str,
    architecture: str,
    cpus: int,
    hypervisor: str | None,
) -> None:
    host = read_host(Roots.recorded(MACHINES / name))
    assert host.hostname == name
    assert host.architecture == architecture
    assert host.cpus_online == cpus
    assert host.virtualization == hypervisor
    assert host.memory_bytes is not None
    assert host.memory_bytes % 1024 == 0


def test_a_machine_without_files_is_unknown(tmp_path: Path) -> None:
    host = read_host(Roots.recorded(tmp_path))
    assert host.cpu_model == host.hostname == host.architecture == "unknown"
    assert host.memory_bytes is None
    assert host.virtualization is None
    assert host.boot_id is None


def write(root: Path, **files: str) -> Roots:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Roots.recorded(root)


@pytest.mark.parametrize(
    ("vendor", "product", "flags", "hypervisor"),
    [
        ("QEMU", "Standard PC", "hypervisor", "kvm"),
        ("VMware, Inc.", "VMware7,1", "hypervisor", "vmware"),
        ("Microsoft Corporation", "Virtual Machine", "hypervisor", "hyper-v"),
        ("Unheard of", "Box", "hypervisor", "hypervisor"),
        ("Microsoft Corporation", "Surface", "tsc", None),
        ("Amazon EC2", "c5.metal", "tsc", None),
        ("QEMU", "says so, yet the CPU does not", "tsc", None),
    ],
)
def test_hypervisors_are_detected(
    tmp_path: Path, vendor: str, product: str, flags: str, hypervisor: str | None
) -> None:
    dmi = "sys__class__dmi__id__"
    roots = write(
        tmp_path,
        **{
            "proc__cpuinfo": f"vendor_id : X\nflags : {flags}\n",
            f"{dmi}sys_vendor": vendor,
            f"{dmi}product_name": product,
        },
    )
    assert read_host(roots).virtualization == hypervisor


def test_this_machine_is_identified() -> None:
    host = read_host()
    assert host.kernel_release == os.uname().release
    assert host.architecture == os.uname().machine
    assert host.cpus_online == os.sysconf("SC_NPROCESSORS_ONLN")
    assert host.memory_bytes is not None
