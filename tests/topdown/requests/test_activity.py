import numpy as np

from tests.topdown.requests.request_recording import recording
from topdown.requests.activity import ACTIVITIES, allocating_stacks, request_activity
from topdown.waits.futex_waits import futex_waits
from topdown.waits.stack_names import StackNames


def means(cause: str) -> dict[str, tuple[float, float]]:
    recorded = recording(cause)
    built = recorded.built
    locks = futex_waits(built.records, recorded.kinds.intervals, built.names, built.syscalls)
    counts = request_activity(recorded.requests, built.records, built.names, locks)
    slow, median = counts[recorded.classes.slow], counts[recorded.classes.median]
    return {
        name: (float(np.mean(slow[:, n])), float(np.mean(median[:, n])))
        for n, name in enumerate(ACTIVITIES)
    }


def test_waits_and_lock_waits_are_counted_per_request() -> None:
    counts = means("lock")
    assert counts["waits"] == (2, 1)
    assert counts["lock_waits"] == (1, 0)


def test_samples_in_allocation_are_counted() -> None:
    slow, median = means("memory")["allocation_samples"]
    assert slow >= 14
    assert median == 0


def test_stacks_with_page_faults_or_versions_of_symbols_allocate() -> None:
    names = StackNames.build(
        [
            (("clear_page_erms", "asm_exc_page_fault"), ("touch",)),
            ((), ("_int_malloc", "malloc@@GLIBC_2.2.5", "main")),
            ((), ("operator new(unsigned long)", "main")),
            ((), ("mallocator", "main")),
        ]
    )
    assert allocating_stacks(names).tolist() == [True, True, True, False]
