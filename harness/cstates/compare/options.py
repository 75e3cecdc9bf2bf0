"""From the words of `stallscope cstates compare --load` to where server and loader run."""

from typing import Any

from harness.cstates.compare.subject import LoadPlan
from harness.workload.cores import two_cores, usable_cpus
from stallscope.cpu_lists import format_cpu_list
from stallscope.errors import UsageError
from stallscope.system_files import Roots


def load_plan(roots: Roots, values: dict[str, Any]) -> LoadPlan:
    """Return the load that options ask for, on two CPUs of the live machine.

    Raises UsageError on a recorded machine, UnableError where there is one CPU only.
    """
    if not roots.is_live:
        raise UsageError(
            "--load needs this machine, and --sysfs-root names another", "leave one of them out"
        )
    cores = two_cores(roots, usable_cpus(values["cpus"]))
    return LoadPlan(values["rate"], values["seconds"], cores.server, cores.loader)


def cpus_of(plan: LoadPlan) -> str:
    """Return the CPUs of a load as a list, which are capped."""
    return format_cpu_list(sorted((plan.server_cpu, plan.loader_cpu)))
