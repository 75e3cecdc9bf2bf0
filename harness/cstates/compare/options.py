"""The options of `stallscope cstates compare`: settings, command or load, rounds."""

from dataclasses import dataclass
from typing import Any

from cstates.comparison.candidates import CandidateSet
from cstates.comparison.differences import MIN_EFFECT
from harness.cstates.compare.subject import LoadPlan
from harness.workload.cores import two_cores, usable_cpus
from stallscope.cpu_lists import format_cpu_list
from stallscope.errors import UsageError
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """What to compare: a command, or a load instead."""

    candidates: CandidateSet
    command: tuple[str, ...]
    load: LoadPlan | None
    rounds: int
    seed: int
    min_effect: float = MIN_EFFECT  # share of a median


def load_plan(roots: Roots, values: dict[str, Any]) -> LoadPlan:
    """Return the load of the options, on two CPUs of the live machine.

    Raises UsageError on a recorded machine, UnableError if there is only one CPU.
    """
    if not roots.is_live:
        raise UsageError(
            "--load needs this machine, and --sysfs-root names another", "omit one of them"
        )
    cores = two_cores(roots, usable_cpus(values["cpus"]))
    return LoadPlan(values["rate"], values["seconds"], cores.server, cores.loader)


def cpus_of(plan: LoadPlan) -> str:
    """Return the CPU list of a load."""
    return format_cpu_list(sorted((plan.server_cpu, plan.loader_cpu)))
