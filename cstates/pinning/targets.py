"""The CPUs of a pin: those of the command, and their SMT siblings.

Only these are capped. Capping all CPUs would cost turbo, as idle CPUs would no longer sleep deeply.
"""

import os
from dataclasses import dataclass

from cstates.pinning.request import PinRequest
from cstates.sysfs import chosen_cpus, cpu_folder, online_cpus
from stallscope.cpu_lists import cpus_in_list, format_cpu_list
from stallscope.errors import UsageError
from stallscope.system_files import Roots, read_text


@dataclass(frozen=True, slots=True)
class PinTargets:
    """Sorted CPUs: those of the command, those with their siblings, and offline ones."""

    command: tuple[int, ...]
    capped: tuple[int, ...]
    offline: tuple[int, ...]  # requested, but offline
    all_capped: bool  # all online CPUs are capped


def find_targets(roots: Roots, request: PinRequest) -> PinTargets:
    """Return the CPUs of a request; UsageError if none of them is online."""
    online = online_cpus(roots)
    if request.cpus is not None:
        requested = set(chosen_cpus(roots, request.cpus))
    else:
        requested = set(os.sched_getaffinity(0)) if roots.is_live else set(online)
    command = sorted(requested & online)
    if not command:
        raise UsageError(
            f"--cpus {request.cpus!r}: none of these CPUs is online",
            f"online are {format_cpu_list(online)}",
        )
    cores = {cpu: _siblings(roots, cpu) & online | {cpu} for cpu in command}
    capped = sorted(set().union(*cores.values()))
    if request.smt_siblings_idle:
        command = [cpu for cpu in command if cpu == min(cores[cpu] & set(command))]
    return PinTargets(
        tuple(command),
        tuple(capped),
        tuple(sorted(requested - online)) if request.cpus is not None else (),
        set(capped) >= online,
    )


def _siblings(roots: Roots, cpu: int) -> set[int]:
    text = read_text(cpu_folder(roots, cpu) / "topology" / "thread_siblings_list", 4096)
    return set(cpus_in_list(text or ""))
