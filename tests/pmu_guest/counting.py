"""Countings of programs whose counts are known, as scripts for the guest or for this machine."""

import json
import shlex
from dataclasses import dataclass, replace
from typing import Any

from tests.live.counting import plan_of

CYCLES = {"type": 0, "config": 0}
INSTRUCTIONS = {"type": 0, "config": 1}
LOOP_INSTRUCTIONS = 4
EXACT = {"once": 1_000_000, "twice": 2_000_000, "thrice": 3_000_000, "again": 1_000_000}
# 200 ms at an instruction per nanosecond: fifty rotations of the groups.
LONG = 50_000_000
MULTIPLEXED = 16
# Arm's common events: the guest does not implement L1D_CACHE, which the driver reports;
# L1D_CACHE_RD is implementation-defined, and the driver cannot report that it is missing.
L1D_CACHE = {"type": 4, "config": "0x04"}
L1D_CACHE_RD = {"type": 4, "config": "0x40"}


@dataclass(frozen=True, slots=True)
class Programs:
    """Paths on the machine that counts."""

    collect: str
    known: str
    kernels: str


def many(instructions: int, *more: str) -> list[str]:
    """Names of events that all count instructions."""
    return [*more, *(f"i{number}" for number in range(instructions))]


def together(*sets: list[str]) -> dict[str, Any]:
    """A plan of these sets; names beginning with i are instructions."""
    names = {name for event_set in sets for name in event_set}
    events: dict[str, object] = {name: INSTRUCTIONS for name in names if name.startswith("i")}
    return plan_of(*sets, cycles=CYCLES, **events)


PLAIN = together(["instructions", "cycles"])


def light(programs: Programs) -> dict[str, str]:
    """Return the scripts that every boot runs: exact counts and cycles per instruction."""
    # libc's start takes 11 or 13 instructions less at two of sixteen stack positions, and the
    # position depends on the lengths of PWD and OLDPWD.
    programs = replace(programs, collect=f"env -i {programs.collect}")
    return {
        name: _count(programs, PLAIN, f"--user -- {programs.known} {iterations}")
        for name, iterations in EXACT.items()
    }


def heavy(programs: Programs) -> dict[str, str]:
    """Return the scripts of a boot; every script counts into ``run`` of a separate directory."""
    known = programs.known
    alone = [[name] for name in many(MULTIPLEXED)]
    both = shlex.quote(f"{known} 1000000 & {known} 1000000 & wait")
    scripts = {
        "multiplexed": (together(*alone), f"--user -- {known} {LONG}"),
        "whole": (together(["instructions"]), f"--user -- {known} {LONG}"),
        "seven": (together(many(6, "cycles")), f"--user -- {known} 1000"),
        "eight": (together(many(7, "cycles")), f"--user -- {known} 1000"),
        "children": (PLAIN, f"--user -- /bin/sh -c {both}"),
        "short": (PLAIN, f"--user -- {known} 1"),
        "chained": (PLAIN, f"--user -- /bin/sh -c 'exec {known} 1000000'"),
    }
    built = {name: _count(programs, *script) for name, script in scripts.items()}
    for rounds in (200_000, 400_000, 600_000):
        words = f"dependent-chain --iterations {rounds}"
        built[f"kernel_{rounds}"] = _count(programs, PLAIN, f"--user -- {programs.kernels} {words}")
    built["attached"] = _during_target(
        f"{known} 0", programs, PLAIN, "--user -p $pid --duration 0.25 --window 50"
    )
    built["cpus_counted"] = _during_target(f"{known} 0", programs, PLAIN, "-C 0 --duration 0.1")
    for counters in (3, 7):
        built[f"held_{counters}"] = _with_counter_holders(
            f"{known} hold {counters}", programs, f"--user -- {known} {LONG // 5}"
        )
    return built


def of_arm(programs: Programs) -> dict[str, str]:
    """Return the scripts that request events without hardware support."""
    known = programs.known
    plan = plan_of(["INST", "L1D", "L1D_RD"], INST=INSTRUCTIONS, L1D=L1D_CACHE, L1D_RD=L1D_CACHE_RD)
    return {
        "absent": _count(programs, plan, f"--user -- {known} 1000"),
        "all_absent": _count(programs, plan_of(["L1D"], L1D=L1D_CACHE), f"--user -- {known} 1000"),
        "cgroup_counted": _in_cgroup(programs),
    }


def _count(programs: Programs, plan: dict[str, Any], words: str) -> str:
    """Return a script that counts a plan."""
    command = f"{programs.collect} count --plan plan.json -o run {words}\n"
    return f"cat >plan.json <<'END'\n{json.dumps(plan)}\nEND\n{command}"


def _during_target(target: str, programs: Programs, plan: dict[str, Any], words: str) -> str:
    """Return a script that counts while a target runs."""
    return (
        f"{target} >said & pid=$!\n{_count(programs, plan, words)}"
        "status=$?\nkill -KILL $pid\nexit $status\n"
    )


def _with_counter_holders(holder: str, programs: Programs, words: str) -> str:
    """Return a script that counts seven events while other processes hold counters permanently."""
    wait = "while [ ! -s said ]; do kill -0 $pid || exit 1; sleep 0.01; done\n"
    script = _during_target(holder, programs, together(many(6, "cycles")), words)
    return script.replace("pid=$!\n", "pid=$!\n" + wait, 1)


def _in_cgroup(programs: Programs) -> str:
    """Return a script that counts a cgroup while a process outside the cgroup runs."""
    known = programs.known
    return (
        "mount -t cgroup2 cgroup /sys/fs/cgroup 2>/dev/null\n"
        "echo +pids >/sys/fs/cgroup/cgroup.subtree_control; mkdir /sys/fs/cgroup/counted\n"
        f"{known} 0 & outside=$!\n"
        f"{known} 0 & pid=$!\n"
        "echo $pid >/sys/fs/cgroup/counted/cgroup.procs\n"
        f"{_count(programs, PLAIN, '--user -G counted --duration 0.2')}"
        "status=$?\nkill -KILL $pid $outside\nexit $status\n"
    )
