"""Scenarios that any supported kernel must pass: one for each thing that the collector records."""

import json
import shlex

from tests.live.counting import plan_of
from tests.pmu_guest.scenarios import COLLECT


def kernel_scenarios(kernels: str) -> dict[str, str]:
    """Return the scripts by name, with the path of stallscope-kernels."""
    kernels = shlex.quote(kernels)
    busy = f"{kernels} dependent-chain --duration 0.3"
    waiting = f"{kernels} contended-mutex --threads 2 --duration 0.3"
    plan = shlex.quote(json.dumps(plan_of(["task-clock"])))
    in_cgroup = (
        "mount -t cgroup2 cgroup /sys/fs/cgroup || exit 1\n"
        # perf_event becomes active with the first write here.
        "echo +pids >/sys/fs/cgroup/cgroup.subtree_control; mkdir /sys/fs/cgroup/box\n"
        f"{kernels} dependent-chain --duration 9 & pid=$!\n"
        "echo $pid >/sys/fs/cgroup/box/cgroup.procs\n"
        f"{COLLECT} -G /sys/fs/cgroup/box -o run --duration 0.2\n"
        "status=$?; kill $pid; exit $status\n"
    )
    tracing = "mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null\n"
    return {
        "release": "uname -r\n",
        "probe": f"exec {COLLECT} --probe\n",
        "samples": f"exec {COLLECT} -e cpu-clock -F 499 -o run -- {busy}\n",
        "copies": f"exec {COLLECT} -e cpu-clock -F 499 --stacks dwarf -o run -- {busy}\n",
        "whole_machine": f"{kernels} dependent-chain --duration 9 & pid=$!\n"
        f"{COLLECT} -a -F 499 --duration 0.2 -o run\n"
        "status=$?; kill $pid; exit $status\n",
        "waits": f"{tracing}exec {COLLECT} --waits -o run -- {waiting}\n",
        "cgroup": in_cgroup,
        "counts": f"echo {plan} >plan.json\nexec {COLLECT} count --plan plan.json -o run -- {busy}\n",
        "no_event": f"exec {COLLECT} -e instructions -o run -- {busy}\n",
    }
