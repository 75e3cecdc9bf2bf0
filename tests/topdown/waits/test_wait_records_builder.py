import numpy as np

from tests.topdown.waits.wait_records_builder import MILLISECOND, Place, build_records
from topdown.waits.records import NO_THREAD, SwitchKind, TaskKind, WakeContext

LOCK = Place(
    user=("pthread_mutex_lock", "work"),
    kernel=("futex_wait_queue", "futex_wait"),
    syscall=202,
    arguments=(0x5000, 128, 2),
)


def test_a_timeline_becomes_switches_wake_ups_and_samples() -> None:
    built = build_records(
        """
        A R0-10 W(B,lock)10-90 Q90-95 R95-100
        B@1 R0-90 Q90-92 R92-100 X100
        """,
        places={"lock": LOCK},
        cpu_sample_every=1,
    )
    records = built.records
    kinds = [
        (int(t) // MILLISECOND, int(n), SwitchKind(k))
        for t, n, k in zip(
            records.switches.time_ns, records.switches.thread, records.switches.kind, strict=True
        )
    ]
    assert kinds == [
        (10, 0, SwitchKind.OUT_ASLEEP),
        (90, 1, SwitchKind.OUT_PREEMPTED),
        (92, 1, SwitchKind.IN),
        (95, 0, SwitchKind.IN),
    ]
    assert records.wake_ups is not None
    assert (records.wake_ups.wakee[0], records.wake_ups.waker[0]) == (0, 1)
    assert records.tasks.kind.tolist() == [TaskKind.EXIT]
    samples = records.switch_samples
    assert built.names.user(int(samples.stack[0])) == ("pthread_mutex_lock", "work")
    assert samples.registers[samples.register_row[0], 3] == 0x5000
    assert built.syscalls.tolist() == [202]
    assert len(records.cpu_samples.time_ns) == 10 + 5 + 98
    readings = {(r.thread, r.at_ns): r for r in records.readings}
    assert readings[0, 100 * MILLISECOND].run_ns == 15 * MILLISECOND
    assert readings[0, 100 * MILLISECOND].queue_ns == 5 * MILLISECOND
    assert (1, 100 * MILLISECOND) not in readings


def test_a_device_wakes_in_an_interrupt_with_its_call_chain() -> None:
    built = build_records("A R0-1 W(disk)1-5 R5-6")
    wakes = built.records.wake_ups
    assert wakes is not None
    assert wakes.context.tolist() == [WakeContext.SOFT_INTERRUPT]
    assert wakes.waker.tolist() == [NO_THREAD]
    assert "blk_done_softirq" in built.names.kernel_part(int(wakes.stack[0]))


def test_cpu_wide_switches_name_the_other_thread() -> None:
    built = build_records("A R0-5 Q5-8 R8-9\nB/!other Q0-5 R5-8 Q8-9", whole_cpus=True)
    switches = built.records.switches
    assert switches.other.tolist() == [1, 0, 0, 1]
    assert np.all(np.diff(switches.time_ns.astype(np.int64)) >= 0)
