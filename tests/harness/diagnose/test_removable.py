"""CPU time that may go with a cause, of call trees in text."""

import numpy as np
import pytest

from harness.diagnose.kernel_ways import kernel_paths
from harness.diagnose.removable import (
    program_shares,
    removable_with_calls,
    removable_with_faults,
)
from topdown.stacks.profile import Function, FunctionKind, Profile, SampleSource, Thread

KERNEL = {"do_syscall_64", "ksys_write", "vm_mmap_pgoff", "asm_exc_page_fault", "clear_page"}
NODE = "/usr/bin/node"


def profile(*rows: tuple[int, str, int]) -> Profile:
    """Return a profile of (thread, functions from outside inwards, samples)."""
    functions = [Function("", "", FunctionKind.ROOT)]
    parents, numbers = [-1], [0]
    weights = []
    for thread, stack, samples in rows:
        parent = 0
        for name in stack.split(" > "):
            kind = FunctionKind.KERNEL if name in KERNEL else FunctionKind.USER
            function = Function(name, "[kernel]" if name in KERNEL else NODE, kind)
            if function not in functions:
                functions.append(function)
            parents.append(parent)
            numbers.append(functions.index(function))
            parent = len(parents) - 1
        weights.append((parent, thread, samples, samples * 1000))
    table = np.array(weights, np.int64)
    threads = tuple(Thread(7, 7 + number, "work", "work") for number in range(3))
    return Profile(
        SampleSource("cpu-clock", "measured", "ns", 99, None, "user"), "", 0, 0, 1.0, functions,
        threads, np.array(parents, np.int32), np.array(numbers, np.int32),
        table[:, 0].astype(np.int32), table[:, 1].astype(np.int32), table[:, 2], table[:, 3],
        0.0, 0.0,
    )  # fmt: skip


def test_a_call_takes_its_wrapper_with_it_and_not_the_function_of_the_program() -> None:
    made = profile(
        (0, "main > write > do_syscall_64 > ksys_write", 60),
        (0, "main > write > disable_cancellation", 10),
        (0, "main", 30),
    )
    share = removable_with_calls(made, kernel_paths(made))
    assert share is not None
    assert (share.samples, share.share) == (100, pytest.approx(0.7))


def test_a_thread_that_only_polls_has_no_part_in_the_share_of_another() -> None:
    made = profile(
        (0, "main > write > do_syscall_64 > ksys_write", 90),
        (0, "main", 10),
        (1, "poll > do_syscall_64", 5),
        (2, "compute", 50),
    )
    share = removable_with_calls(made, kernel_paths(made))
    assert share is not None
    assert (share.samples, share.share) == (100, pytest.approx(0.9))


def test_a_function_that_faults_goes_with_its_faults_and_its_callees_stay() -> None:
    made = profile(
        (0, "main > fill > asm_exc_page_fault > clear_page", 50),
        (0, "main > fill", 20),
        (0, "main > fill > compute", 20),
        (0, "main > mmap > do_syscall_64 > vm_mmap_pgoff", 10),
    )
    share = removable_with_faults(made, kernel_paths(made))
    assert share is not None
    assert share.share == pytest.approx(0.8)


def test_the_work_of_a_program_is_without_its_collector_and_what_serves_it() -> None:
    made = profile(
        (0, "make", 30),
        (0, "make > RecordWriteSaveFP > helper", 10),
        (0, "make > asm_exc_page_fault > clear_page", 20),
        (1, "v8::internal::Heap::Scavenge()", 40),
    )
    assert program_shares(made, kernel_paths(made)) == {7: pytest.approx(0.3)}


def test_without_samples_there_is_no_share() -> None:
    made = profile((0, "main", 0))
    assert removable_with_calls(made, kernel_paths(made)) is None
