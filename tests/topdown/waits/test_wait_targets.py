import numpy as np

from tests.topdown.waits.wait_records_builder import Place, build_records
from topdown.waits.cascade import Activity, cascade
from topdown.waits.records import NO_ROW, OwnerReading, WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals, ThreadState
from topdown.waits.wait_targets import PseudoNode, node_names, wait_segments

MUTEX = Place(user=("pthread_mutex_lock", "work"), syscall=202, arguments=(0x5000, 128, 2))
MS = 1_000_000


def intervals_of(records: WaitRecords, text: str, states: dict[str, ThreadState]) -> Intervals:
    """Return intervals of the timelines in ``text``; ``states`` names the state per letter."""
    rows = []
    wake_ups, samples = records.wake_ups, records.switch_samples
    for thread, line in enumerate(text.strip().splitlines()):
        for word in line.split()[1:]:
            period = word[1:] if ")" not in word else word.split(")")[1]
            begin, end = (int(part) * MS for part in period.split("-"))
            state = {"R": ThreadState.USER, "Q": ThreadState.RUN_QUEUE}.get(word[0])
            state = (
                states.get(word.split(")")[0] + ")", states.get("W")) if state is None else state
            )
            woken = NO_ROW
            if wake_ups is not None:
                hit = np.flatnonzero((wake_ups.time_ns == end) & (wake_ups.wakee == thread))
                woken = int(hit[0]) if len(hit) and word[0] == "W" else NO_ROW
            hit = np.flatnonzero((samples.time_ns == begin) & (samples.thread == thread))
            sample = int(hit[0]) if len(hit) else NO_ROW
            rows.append((thread, begin, end, state, sample, woken))
    columns = [list(column) for column in zip(*rows, strict=True)]
    types = (np.uint32, np.uint64, np.uint64, np.uint8, np.uint32, np.uint32)
    return Intervals(*(np.array(c, t) for c, t in zip(columns, types, strict=True)))


def targets(text: str, names: StackNames, records: WaitRecords, intervals: Intervals) -> list[str]:
    """Return "thread>node" of each wait."""
    nodes = node_names([thread.name for thread in records.threads])
    segments = wait_segments(records, intervals, names)
    waits = segments.activity == Activity.WAIT
    return [
        f"{nodes[thread]}>{nodes[target]}"
        for thread, target in zip(segments.thread[waits], segments.target[waits], strict=True)
    ]


def test_wakers_are_threads_devices_timers_and_unknown() -> None:
    text = """
        A R0-10 W(B)10-20 R20-30 W(disk)30-40 R40-50 W(timer)50-60 R60-61 W(network)61-70 R70-71
        B R0-80
        C R0-10 W(?)10-20 R20-30
    """
    built = build_records(text)
    intervals = intervals_of(built.records, text, {"W": ThreadState.CONDITION})
    assert targets(text, built.names, built.records, intervals) == [
        "A>B",
        "A>disk",
        "A>timer",
        "A>network",
        "C>unknown",
    ]


def test_disk_waits_and_sleeps_do_not_depend_on_the_waker() -> None:
    text = "A R0-10 W(B)10-20 R20-30 W(B)30-40 R40-41\nB R0-50"
    built = build_records(text)
    for state, node in ((ThreadState.DISK_WRITE, "disk"), (ThreadState.SLEEP, "timer")):
        intervals = intervals_of(built.records, text, {"W": state})
        assert set(targets(text, built.names, built.records, intervals)) == {f"A>{node}"}


def test_a_lock_wait_without_recorded_wake_ups_is_a_wait_for_the_owner_that_was_read() -> None:
    text = "A R0-10 W(B,mutex)10-20 R20-30 W(B,mutex)30-40 R40-41\nB R0-50"
    owner = OwnerReading(12 * MS, 0, 0x5000, "mutex", 101)
    built = build_records(text, places={"mutex": MUTEX}, wakers=False, owners=(owner,))
    intervals = intervals_of(built.records, text, {"W": ThreadState.LOCK})
    assert targets(text, built.names, built.records, intervals) == ["A>B", "A>unknown"]


def test_a_false_wake_up_is_joined_with_the_next_wait() -> None:
    text = """
        A R0-1 W(B,mutex)1-5 R5-5.05 W(C,mutex)5.05-9 R9-10
        B R0-10
        C R0-10
    """
    built = build_records(text, places={"mutex": MUTEX})
    samples = built.records.switch_samples.time_ns.tolist()
    wakes = built.records.wake_ups
    assert wakes is not None
    bounds = [0, 1 * MS, 5 * MS, 5 * MS + 50_000, 9 * MS, 10 * MS]
    states = [ThreadState.USER, ThreadState.LOCK] * 2 + [ThreadState.USER]
    a_rows = [
        (0, begin, end, state)
        for begin, end, state in zip(bounds, bounds[1:], states, strict=False)
    ]
    rows = [*a_rows, (1, 0, 10 * MS, ThreadState.USER), (2, 0, 10 * MS, ThreadState.USER)]
    sample = [samples.index(row[1]) if row[3] == ThreadState.LOCK else NO_ROW for row in rows]
    woken = [NO_ROW, 0, NO_ROW, 1, NO_ROW, NO_ROW, NO_ROW]
    types = (np.uint32, np.uint64, np.uint64, np.uint8)
    columns = zip(*rows, strict=True)
    intervals = Intervals(
        *(np.array(c, t) for c, t in zip(columns, types, strict=True)),
        np.array(sample, np.uint32),
        np.array(woken, np.uint32),
    )
    segments = wait_segments(built.records, intervals, built.names)
    result = cascade(segments, origins=np.array([True, False, False]))
    assert result.edges == {(0, 2): 8 * MS}


def test_pseudo_nodes_follow_the_threads() -> None:
    assert node_names(["a", "b"])[2 + PseudoNode.DISK] == "disk"
