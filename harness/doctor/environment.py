"""Checks of the environment: bare hardware, a virtual machine, a container."""

from harness.machine_checks.check import Check, available, limited
from harness.machine_checks.machine import CheckedMachine


def check_virtualization(machine: CheckedMachine) -> Check:
    """Return what lies between this process and the hardware, and its consequences."""
    name, hypervisor = "virtualization", machine.host.virtualization
    guest = (
        f"guest of {hypervisor}: CPU time may be stolen; idle states and frequency are the host's"
        if hypervisor
        else ""
    )
    if machine.is_confined:
        inside = f"container ({machine.container}): only its own processes are visible"
        return limited(
            name,
            f"{inside}; {guest}" if guest else inside,
            "run on the host, or with --pid=host --cap-add PERFMON --cap-add SYS_PTRACE",
        )
    image = (
        f"a container image ({machine.container}) that sees all processes"
        if machine.container
        else ""
    )
    if guest:
        return limited(
            name,
            f"{guest}; {image}" if image else guest,
            "measure on the host what needs hardware",
        )
    return available(name, image or "none detected: bare hardware")
