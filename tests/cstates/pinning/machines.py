"""Paths and requests of pinned runs on generated machines."""

from collections.abc import Callable

from cstates.pinning.request import PinRequest, bench_profile
from tests.cstates.pinning.conftest import FakeMachine

Fake = Callable[[str], FakeMachine]
CPUS = "/sys/devices/system/cpu"
GOVERNOR = f"{CPUS}/cpufreq/policy0/scaling_governor"
TUNABLE = f"{CPUS}/cpufreq/ondemand/up_threshold"
BENCH = bench_profile(PinRequest())
