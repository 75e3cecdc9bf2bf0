import numpy as np

from tests.topdown.waits.wait_records_builder import Place, build_records
from topdown.waits.records import SwitchKind
from topdown.waits.switch_times import scheduler_times

TEXT = "A R0-1000 W(?,lock)1000-3000 R3000-4000\nB Q0-1000 R1000-3000 Q3000-4000"
PLACES = {"lock": Place(("lock",))}


def test_a_switch_has_the_time_of_the_sample_of_the_thread_that_leaves() -> None:
    records = build_records(TEXT, places=PLACES, unit_ns=1000, whole_cpus=True).records
    records.switch_samples.time_ns[:] -= 4000  # the sample precedes its record
    times = scheduler_times(records)
    at_first = records.switches.time_ns == 1_000_000
    assert times[at_first].tolist() == [996_000, 996_000]
    assert np.array_equal(times[~at_first], records.switches.time_ns[~at_first])


def test_a_thread_that_comes_to_an_idle_cpu_keeps_its_time() -> None:
    records = build_records("A W(?)0-3000 R3000-4000", unit_ns=1000, whole_cpus=True).records
    assert scheduler_times(records).tolist() == [3_000_000]


def test_without_records_of_whole_cpus_only_switch_outs_move() -> None:
    records = build_records(TEXT, places=PLACES, unit_ns=1000).records
    records.switch_samples.time_ns[:] -= 4000
    times = scheduler_times(records)
    comes = records.switches.kind == SwitchKind.IN
    assert np.array_equal(times[comes], records.switches.time_ns[comes])
    assert 996_000 in times[~comes]


def test_a_sample_after_its_record_does_not_move_the_next_switch() -> None:
    text = "A R0-1000 Q(?,lock)1000-1040 R1040-1060 W(?)1060-3000 R3000-4000"
    records = build_records(text, places=PLACES, unit_ns=1000, whole_cpus=True).records
    records.switch_samples.time_ns[:] += 1000  # of a tracepoint, the record is first
    leaves = records.switches.kind != SwitchKind.IN
    assert np.array_equal(scheduler_times(records)[leaves], records.switches.time_ns[leaves])


def test_a_short_wait_on_an_idle_cpu_is_kept_without_records_of_the_idle_thread() -> None:
    text = "A R0-1000 W(?)1000-1050 R1050-4000"
    records = build_records(text, unit_ns=1000, whole_cpus=True).records
    assert scheduler_times(records).tolist() == records.switches.time_ns.tolist()
