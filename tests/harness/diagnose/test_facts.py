import pytest
from msgspec import structs

from harness.diagnose.facts import Facts, Measurements, larger_gain
from tests.harness.diagnose.diagnoses import LOCKED, waits
from tests.harness.diagnose.machines import machine
from tests.harness.waits.waits_results import cause


def test_costs_are_shares_of_the_wall_time_of_working_threads() -> None:
    facts = Facts.of(waits(LOCKED), None)
    assert facts.working_ns == 1_500_000_000
    assert facts.share(150_000_000) == pytest.approx(0.1)
    assert facts.share(10**12) == 1.0
    assert facts.running_ns == pytest.approx(540_000_000, rel=0.01)


def test_a_thread_that_only_waits_has_no_finite_gain() -> None:
    facts = Facts.of(waits("main R(code)0-250 W(hog,lock)250-500"), None)
    assert facts.largest_gain([cause("disk", "disk", 125, ("main", 125))]) == pytest.approx(
        1 / 0.75
    )
    assert facts.largest_gain([cause("disk", "disk", 250, ("unknown", 250))]) is None
    assert facts.largest_gain([]) is None
    facts = Facts.of(waits("main R(code)0-0.1 W(hog,lock)0.1-500"), None)
    assert facts.largest_gain([cause("disk", "disk", 500, ("main", 500))]) is None


def test_a_thread_cannot_gain_the_waits_of_others_or_what_it_runs() -> None:
    facts = Facts.of(waits("main R(code)0-250 W(hog,lock)250-500"), None)
    whole = [cause("disk", "disk", 900, ("main", 900))]
    assert facts.largest_gain(whole) == pytest.approx(2.0, rel=0.01)
    assert facts.largest_gain(whole, run_ns=125_000_000) == pytest.approx(4.0, rel=0.01)


def test_all_of_the_queue_for_a_cpu_may_go() -> None:
    facts = Facts.of(waits("main R(code)0-250 Q250-500\nhelper@1 R(code)0-500"), None)
    assert facts.queue_gain() == pytest.approx(2.0, rel=0.01)
    facts = Facts.of(waits("main R(code)0-100 Q100-200 R200-250 W(hog,lock)250-500"), None)
    assert facts.queue_gain(100_000_000) == pytest.approx(1 / 0.6, rel=0.01)


def test_time_in_the_run_queue_may_go_with_the_waits_before_it() -> None:
    facts = Facts.of(waits("main R(code)0-100 W(hog,lock)100-300 Q300-400 R400-500"), None)
    gain = facts.largest_gain([cause("disk", "disk", 200, ("main", 200))])
    assert gain == pytest.approx(2.5, rel=0.01)


def test_more_threads_than_cpus_gain_no_more_than_the_cpus_run() -> None:
    text = "\n".join(f"w-{n}@{n} R(code)0-100 W(disk,read)100-500" for n in range(8))
    gains = []
    for cpus in (8, 2):
        measured = Measurements(machine=machine({"cpus": cpus}))
        facts = Facts.of(waits(text), None, measured)
        name = facts.groups[0].name
        gains.append(facts.largest_gain([cause("disk", "disk", 3200, (name, 3200))]))
    # Eight threads run 800 ms; two CPUs run 1,000 ms in 500 ms.
    assert gains == [pytest.approx(5.0, rel=0.01), pytest.approx(1.25, rel=0.01)]


def test_cpu_time_shrinks_with_the_queue_for_it() -> None:
    facts = Facts.of(waits("main R(code)0-300 W(hog,lock)300-400 Q400-500"), None)
    assert facts.cpu_gain(0.5) == pytest.approx(1 / (1 - 0.4), rel=0.02)
    assert larger_gain(1.5, 2.0) == 2.0
    assert larger_gain(1.5, None) is None


def test_in_random_windows_waits_for_disks_have_at_least_the_time_in_their_states() -> None:
    document = waits("main R(code)0-100 W(disk,read)100-500")
    few = structs.replace(document, causes=(cause("disk", "disk", 40, ("main", 40)),))
    assert [row.wait_ns for row in Facts.of(few, None).disk_causes] == [40_000_000]
    (group,) = few.groups
    windows = structs.replace(few, groups=(structs.replace(group, errors_ns={}),))
    (row,) = Facts.of(windows, None).disk_causes
    assert row.wait_ns == pytest.approx(400_000_000, rel=0.01)
