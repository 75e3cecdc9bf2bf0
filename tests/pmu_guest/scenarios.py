"""The scenarios of the guest's boot: a shell script per scenario, in a separate directory."""

import json
import shlex

# 0.618 of a round of known_shares: samples are spread evenly over the round, not synchronized with it.
PERIOD = 24_743
# Samples per second at a distance of N.618 rounds, for the same reason: at 5,000 samples per second
# the distance would be exactly five rounds.
FREQUENCY = 5_414
FREQUENCY_OF_RUN = 9_549
# Instructions and cycles of a round: loops, and the calls around them (see known_shares.c).
LOOP_CYCLES_A_ROUND = 40_000
ROUNDS = {"short": 1_000, "twice": 2_000, "thrice": 3_000}
COLLECT = "/bin/stallscope-collect"
MEMORY = "/bin/stallscope-memory"
# A path that exists on every Debian, with other contents: the host's symbols must not be used for it.
IMPOSTOR = "/usr/bin/dpkg"

# Numbers of rings: of a thread, and of two threads on the guest's single CPU.
MEMORY_PLAN = {
    "schema": "stallscope.memory-plan/1",
    "repeats": 3,
    "repeat_ns": 1_000_000,
    "points": [
        {"lines": 64, "stride_bytes": 64, "pages": "small", "cpus": [0]},
        {"lines": 4096, "stride_bytes": 64, "pages": "huge", "cpus": [0, 0]},
    ],
}


def scenarios(known: str, kernels: str) -> dict[str, str]:
    """Return the scripts by name, with the paths of known_shares and stallscope-kernels."""
    known, kernels = shlex.quote(known), shlex.quote(kernels)
    scripts = {
        name: f"exec {COLLECT} -o run -c {PERIOD} --user -- {known} {rounds}\n"
        for name, rounds in ROUNDS.items()
    }
    scripts["probe"] = f"exec {COLLECT} --probe\n"
    scripts["frequency"] = f"exec {COLLECT} -o run -F {FREQUENCY_OF_RUN} -- {known} 5000\n"
    scripts["impostor"] = f"exec {COLLECT} -o run -c {PERIOD} --user -- {IMPOSTOR} 500\n"
    scripts["no_such_event"] = f"exec {COLLECT} -o run -e arm_n1::NO_SUCH_EVENT -- {known} 1\n"
    for name in ("CPU_CYCLES", "INST_RETIRED"):
        scripts[name] = (
            f"exec {COLLECT} -o run -c {PERIOD} --user -e arm_n1::{name} -- {known} 1000\n"
        )
    scripts["children"] = (
        f"exec {COLLECT} -o run -c {PERIOD} --user -- "
        f"/bin/sh -c {shlex.quote(f'{known} 500 & {known} 500 & wait')}\n"
    )
    scripts["attached"] = f"{known} 0 & pid=$!\n" + _with_end(
        f"{COLLECT} -o run -p $pid -F {FREQUENCY} --duration 0.2"
    )
    scripts["all_cpus"] = f"{known} 0 & pid=$!\n" + _with_end(
        f"{COLLECT} -o run -a -F {FREQUENCY} --duration 0.2"
    )
    scripts["cgroup"] = _in_cgroup(known)
    scripts["crowded"] = _with_many_collectors(known)
    scripts["interrupted"] = f"{known} 0 & pid=$!\n" + _with_end(_interrupted())
    scripts["threads"] = (
        f"{kernels} mix --duration 60 --interval-ms 10 --working-set-mib 1 >truth & pid=$!\n"
        "while [ ! -s truth ]; do kill -0 $pid || exit 1; sleep 0.01; done\n"
        + _with_end(f"{COLLECT} -o run -p $pid --user -F 2999 --duration 0.3")
    )
    scripts["memory"] = f"echo {shlex.quote(json.dumps(MEMORY_PLAN))} | {MEMORY}\n"
    return scripts


def _with_end(command: str) -> str:
    """Return a script that runs a command, ends its targets, and has the command's status."""
    return f"{command}\nstatus=$?\nkill -KILL $pid $outside\nexit $status\n"


def _in_cgroup(known: str) -> str:
    """Return a script that records a cgroup while a process outside the cgroup runs."""
    return (
        "mount -t cgroup2 cgroup /sys/fs/cgroup || exit 1\n"
        # Controllers that are enabled by default become active with the first write here.
        "echo +pids >/sys/fs/cgroup/cgroup.subtree_control; mkdir /sys/fs/cgroup/box\n"
        f"{known} 0 & outside=$!\n"
        f"{known} 0 & pid=$!\n"
        "echo $pid >/sys/fs/cgroup/box/cgroup.procs\n"
        "echo $pid >inside\n"
        + _with_end(f"{COLLECT} -o run -G box --user -c {PERIOD} --duration 0.15")
    )


def _with_many_collectors(known: str) -> str:
    """Return a script that samples a process with more collectors than the PMU has counters."""
    others = " ".join(f"other{number}" for number in range(8))
    options = f"-p $pid --user -c {4 * PERIOD}"
    return (
        f"{known} 0 & pid=$!\n"
        f"for name in {others}; do {COLLECT} -o $name {options} 2>$name.said & done\n"
        f"for name in {others}; do\n"
        "  until grep -qs recording $name.said; do sleep 0.01; done\n"
        "done\n" + _with_end(f"{COLLECT} -o run {options} --duration 0.3")
    )


def _interrupted() -> str:
    """Return commands that send SIGINT to the collector once it has written samples."""
    return (
        f"{COLLECT} -o run -p $pid -c {PERIOD} & collector=$!\n"
        "until [ -f run/samples.perf ] && [ $(stat -c %s run/samples.perf) -gt 250000 ]; do\n"
        "  kill -0 $collector || exit 1; sleep 0.05\n"
        "done\n"
        "kill -INT $collector\n"
        "wait $collector"
    )
