import numpy as np

from topdown.waits.states import Intervals, ThreadState


def test_the_keys_of_states_are_those_of_documents() -> None:
    assert [state.key for state in ThreadState] == [
        "user",
        "system",
        "run_queue",
        "lock",
        "condition",
        "disk_read",
        "disk_write",
        "network",
        "page_fault",
        "sleep",
        "throttled",
        "stopped",
        "stolen",
        "other",
        "unknown",
    ]


def test_the_length_of_an_interval_is_signed() -> None:
    number, time = np.zeros(1, np.uint32), np.array([5], np.uint64)
    intervals = Intervals(number, time, time + 3, number.astype(np.uint8), number, number)
    assert intervals.duration_ns.tolist() == [3]
    assert intervals.duration_ns.dtype == np.int64
