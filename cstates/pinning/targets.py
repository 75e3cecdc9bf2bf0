"""Which CPUs a pin is about: the command's own, and with them their SMT siblings.

Capping all CPUs would cost turbo, as idle ones no longer sleep deeply; so only these are capped.
"""

import os
from dataclasses import dataclass

from cstates.pinning.request import PinRequest
from cstates.sysfs import chosen_cpus, cpu_folder, online_cpus
from stallscope.cpu_lists import cpus_in_list, format_cpu_list
from stallscope.errors import UsageError
from stallscope.system_files import Roots, read_text


@dataclass(frozen=True, slots=True)
class Targets:
    """CPUs in order: those the command runs on, those with their siblings, and who is offline."""

    command: tuple[int, ...]
    capped: tuple[int, ...]
    offline: tuple[int, ...]  # asked for, and said
    all_capped: bool  # no online CPU is left out


def find_targets(roots: Roots, request: PinRequest) -> Targets:
    """Return the CPUs of a request; UsageError where none of those asked for is online."""
    online = online_cpus(roots)
    if request.cpus is not None:
        wanted = set(chosen_cpus(roots, request.cpus))
    else:
        wanted = set(os.sched_getaffinity(0)) if roots.is_live else set(online)
    command = sorted(wanted & online)
    if not command:
        raise UsageError(
            f"--cpus {request.cpus!r}: none of these CPUs is online",
            f"online are {format_cpu_list(online)}",
        )
    cores = {cpu: _siblings(roots, cpu) & online | {cpu} for cpu in command}
    capped = sorted(set().union(*cores.values()))
    if request.smt_siblings_idle:
        command = [cpu for cpu in command if cpu == min(cores[cpu] & set(command))]
    return Targets(
        tuple(command),
        tuple(capped),
        tuple(sorted(wanted - online)) if request.cpus is not None else (),
        set(capped) >= online,
    )


def _siblings(roots: Roots, cpu: int) -> set[int]:
    text = read_text(cpu_folder(roots, cpu) / "topology" / "thread_siblings_list", 4096)
    return set(cpus_in_list(text or ""))
