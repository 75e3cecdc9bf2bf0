"""Conflicting daemons, throttling and frequency drift."""

from collections.abc import Callable

from cstates.pinning.request import PinRequest
from cstates.pinning.watching import FrequencyWatch, conflicting_daemons, read_throttled, throttling
from tests.cstates.pinning.conftest import FakeMachine

Fake = Callable[[str], FakeMachine]
CPUS = "/sys/devices/system/cpu"


def test_daemons_are_recognized_by_their_truncated_names(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    (machine.tree / "proc/77").mkdir()
    machine.write("/proc/77/comm", "power-profiles-")
    assert [(item.pid, item.name) for item in conflicting_daemons(machine.roots)] == [
        (77, "power-profiles-daemon"),
        (812, "tuned"),
    ]


def test_increased_throttle_counters_are_reported(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    assert read_throttled(machine.roots, (0, 1)) == {}
    (machine.tree / f"{CPUS[1:]}/cpu1/thermal_throttle").mkdir()
    counter = f"{CPUS}/cpu1/thermal_throttle/core_throttle_count"
    machine.write(counter, "3")
    before = read_throttled(machine.roots, (0, 1))
    machine.write(counter, "5")
    after = read_throttled(machine.roots, (0, 1))
    text = ("throttled during the run: cpu1 core_throttle_count increased by 2",)
    assert throttling(before, after) == text
    assert throttling(after, after) == throttling({}, after) == ()


def test_drift_is_reported_with_count_and_extent(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    watch = FrequencyWatch(machine.roots, (0,), 2_300_000)
    current = f"{CPUS}/cpufreq/policy0/scaling_cur_freq"
    for khz in (2_300_000, 2_000_000, 2_260_000, 2_900_000):
        machine.write(current, str(khz))
        watch.sample()
    assert watch.drift() == (
        "frequency drifted: policy0 deviated from 2300000 kHz in 2 of 4 readings, at worst to 2900000 kHz",
    )


def test_frequencies_are_sampled_during_a_run(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    ran = machine.pin(PinRequest(frequency="base", cpus="0"), "sleep", "1")
    assert ["policy0 deviated" in item for item in ran.disturbances] == [True]
    assert not machine.pin(PinRequest(states=("C1",)), "sleep", "0.15").disturbances
