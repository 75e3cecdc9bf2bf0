"""Checks of where this runs: bare hardware, a virtual machine, a container."""

from harness.machine_checks.check import Check, available, limited
from harness.machine_checks.machine import Machine


def check_virtualization(machine: Machine) -> Check:
    """Return what stands between this process and the hardware, and what follows from it."""
    name, hypervisor = "virtualization", machine.host.virtualization
    guest = (
        f"guest of {hypervisor}: CPU time may be stolen, idle states and frequency are the host's"
        if hypervisor
        else ""
    )
    if machine.is_confined:
        inside = f"container ({machine.container}): only its own processes are seen"
        return limited(
            name,
            f"{inside}; {guest}" if guest else inside,
            "run on the host, or with --pid=host --cap-add PERFMON --cap-add SYS_PTRACE",
        )
    image = (
        f"a container's image ({machine.container}), seeing all processes"
        if machine.container
        else ""
    )
    if guest:
        return limited(
            name,
            f"{guest}; {image}" if image else guest,
            "what needs hardware: measure on the host",
        )
    return available(name, image or "none seen: bare hardware")
