"""Scenarios for counts by function, in the same boot as the other scenarios."""

import shlex

from tests.pmu_guest.scenarios import COLLECT, FREQUENCY, PERIOD

GROUP_ROUNDS = 1_000
# The same instructions in fewer rounds: most counts lie between two samples of the same function.
LONG_ROUNDS = 10
# Samples per second: fewer than PERIOD gives, so that the last samples of every tick are throttled.
THROTTLED_RATE = 31_500
RATE, BUDGET = "perf_event_max_sample_rate", "perf_cpu_time_max_percent"
TOO_LARGE_GROUP = ",".join(["instructions", *(f"e{n}=4:0x11" for n in range(8))])


def group_scenarios(known: str) -> dict[str, str]:
    """Return the scripts by name, with the path of known_shares."""
    known = shlex.quote(known)
    cycles = "--user -e cycles"
    pair = f"{COLLECT} -o run {cycles} --with instructions"
    long_rounds = f"{LONG_ROUNDS} {1000 * GROUP_ROUNDS // LONG_ROUNDS}"
    return {
        "pair": f"exec {pair} -c {PERIOD} -- {known} {GROUP_ROUNDS}\n",
        "long_visits": f"exec {pair} -c {PERIOD} -- {known} {long_rounds}\n",
        "led": f"exec {COLLECT} -o run {cycles} -c {PERIOD} --leader instructions "
        f"-- {known} {GROUP_ROUNDS}\n",
        "throttled": f"cd /proc/sys/kernel; echo 25 >{BUDGET}; echo {THROTTLED_RATE} >{RATE}; cd -\n"
        f"{pair} -c {PERIOD} -- {known} {long_rounds}\nstatus=$?\n"
        f"cd /proc/sys/kernel; echo 100000 >{RATE}; echo 0 >{BUDGET}; exit $status\n",
        "pair_of_process": f"{known} 0 & pid=$!\n{pair} -p $pid -F {FREQUENCY} --duration 0.15\n"
        "status=$?\nkill -KILL $pid\nexit $status\n",
        "pair_of_cpus": f"{known} 0 & pid=$!\n"
        f"{COLLECT} -o run -a --user -e cycles --with instructions -F {FREQUENCY} --duration 0.1\n"
        "status=$?\nkill -KILL $pid\nexit $status\n",
        "too_large": f"exec {COLLECT} -o run --user -e cycles --with {TOO_LARGE_GROUP} -- {known} 1\n",
    }
