from dataclasses import replace

import pytest

from harness.diagnose.readings.activity import machine_activity
from harness.diagnose.readings.file import Readings
from harness.diagnose.readings.reading import MachineReading, ProcessCounters
from tests.harness.diagnose.machines import SECOND_NS, disk, frequency, header, idle, reading


def readings(*rows: MachineReading) -> Readings:
    return Readings(header(), rows)


def test_counters_become_amounts_and_shares_of_the_interval() -> None:
    activity = machine_activity(readings(reading(0), reading(5), reading(10)), None)
    assert activity is not None
    assert activity.seconds == 10
    (row,) = activity.disks
    assert (row.reads, row.writes, row.max_in_flight) == (500, 0, 10)
    assert row.mean_read_ms == pytest.approx(4.0)
    assert row.mean_in_flight == pytest.approx(16.0)
    assert row.busy_share == pytest.approx(0.5)
    assert activity.steal_share == pytest.approx(0.1)
    assert activity.memory == {"pgmajfault": 50, "pswpin": 0}
    assert activity.pressures == {"io.some": 0.25}
    assert activity.throttled == (100, 40)
    assert (activity.minor_faults, activity.major_faults) == (1000, 10)


def test_one_reading_is_no_interval() -> None:
    assert machine_activity(readings(reading(0)), None) is None
    assert machine_activity(None, None) is None


def test_readings_after_the_end_of_the_recording_do_not_count() -> None:
    activity = machine_activity(readings(reading(0), reading(5), reading(60)), 105 * SECOND_NS)
    assert activity is not None
    assert activity.seconds == 5


def test_idle_states_are_those_of_the_readings_that_have_them() -> None:
    rows = (reading(0, idle=idle(0)), reading(5), reading(10, idle=idle(10)))
    activity = machine_activity(readings(*rows), None)
    assert activity is not None
    deep = activity.states[1]
    assert (deep.name, deep.entries, deep.exit_latency_us) == ("C6", 1000, 133)
    assert deep.share == pytest.approx(0.5)  # of two CPUs
    assert deep.above_share == pytest.approx(0.25)
    assert machine_activity(readings(reading(0, idle=idle(0)), reading(5)), None).states == ()  # type: ignore[union-attr]


def test_the_fastest_cpu_counts_since_idle_ones_are_slow() -> None:
    rows = (
        reading(0, frequencies=(frequency("policy0", 800_000), frequency("policy1", 1_900_000))),
        reading(5, frequencies=(frequency("policy0", 2_000_000), frequency("policy1", None))),
    )
    activity = machine_activity(readings(*rows), None)
    assert activity is not None
    assert activity.fastest_share == pytest.approx(1.0)
    assert [row.policy for row in activity.frequencies] == ["policy0", "policy1"]


def test_counters_that_fell_are_left_out() -> None:
    fallen = reading(10, disks=(), memory={"pgmajfault": 0})
    before = reading(5, memory={"pgmajfault": 9})
    activity = machine_activity(readings(before, fallen), None)
    assert activity is not None
    assert activity.disks == ()
    assert activity.memory == {}


def test_the_busiest_of_the_named_disks_is_chosen() -> None:
    activity = machine_activity(readings(reading(0), reading(10)), None)
    assert activity is not None
    busy = replace(activity, disks=(disk(), disk(name="vdb", busy_share=0.9)))
    assert busy.disk(()).name == "vdb"  # type: ignore[union-attr]
    assert busy.disk(("vda",)).name == "vda"  # type: ignore[union-attr]
    assert busy.disk(("sda",)) is None


def test_a_mean_of_no_requests_is_not_known() -> None:
    assert disk(reads=0, mean_read_ms=None).mean_ms is None
    assert disk(writes=1000, mean_write_ms=8.0).mean_ms == pytest.approx(6.0)


def test_the_most_pinned_thread_counts() -> None:
    def of_process(second: int, cpus: int | None) -> MachineReading:
        counters = ProcessCounters(pid=7, minor_faults=0, major_faults=0, fewest_cpus=cpus)
        return reading(second, processes=(counters,))

    rows = (of_process(0, 8), of_process(1, None), of_process(2, 3))
    activity = machine_activity(readings(*rows), None)
    assert activity is not None
    assert activity.fewest_cpus == 3
    unknown = machine_activity(readings(reading(0), reading(1)), None)
    assert unknown is not None
    assert unknown.fewest_cpus is None
