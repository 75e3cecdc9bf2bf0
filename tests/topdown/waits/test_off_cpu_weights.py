"""Off-CPU time by switch sample."""

from tests.topdown.waits.wait_records_builder import Place, build_records
from topdown.waits.off_cpu_weights import off_cpu_weights
from topdown.waits.timeline import build_intervals

PLACES = {name: Place(user=(name, "main")) for name in ("lock", "disk")}


def test_waits_of_all_threads_count_at_their_stacks_without_the_run_queue() -> None:
    text = """
        main R0-10 W(timer,disk)10-60 Q60-90 R90-100
        pool R0-20 W(?,lock)20-100
        new W(?)0-30 R30-100
    """
    records = build_records(text, places=PLACES, unit_ns=1).records
    weights = off_cpu_weights(records, build_intervals(records))
    assert weights.switch.tolist() == [50, 80]
    assert dict(zip(weights.other_thread.tolist(), weights.other_ns.tolist(), strict=True)) == {
        2: 30
    }


def test_preempted_threads_do_not_wait() -> None:
    records = build_records("main R0-10 Q10-60 R60-100", unit_ns=1).records
    weights = off_cpu_weights(records, build_intervals(records))
    assert not weights.switch.any()
    assert not len(weights.other_ns)
