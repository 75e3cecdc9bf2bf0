"""Answers of any source in common words, and their comparison."""

import pytest

from harness.labs.kernels.answers import common_path, diagnosed_path, is_right, shortened
from harness.labs.kernels.known_kernels import known_kernels
from tests.harness.labs.kernels.measurements import CORE, DRAM, measurement
from topdown.slots.measurement import Kind


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (("Backend_Bound", "Memory_Bound", "DRAM_Bound", "MEM_Latency"), DRAM),
        (("backend_bound", "backend_bound_memory"), "backend_bound/memory_bound"),
        (("backend_bound", "backend_bound_by_cpu"), CORE),
        (("backend_bound", "divider"), CORE),
        (("backend_bound", "dram_bandwidth"), DRAM),
        (("Backend_Bound", "Core_Bound", "Ports_Utilization"), CORE),
        (("Frontend_Bound", "Fetch_Latency", "ICache_Misses"), "frontend_bound/fetch_latency"),
        (("bad_speculation", "bad_speculation_mispredicts"), "bad_speculation/branch_mispredicts"),
        (("Retiring", "Light_Operations"), "retiring"),
        (("backend_stalled_cycles",), ""),
    ],
)
def test_node_names_of_every_source_become_common_words(path: tuple[str, ...], words: str) -> None:
    assert "/".join(common_path(path)) == words


@pytest.mark.parametrize(
    ("expected", "path", "right"),
    [
        (DRAM, ("backend_bound", "dram_bound"), True),
        (DRAM, ("backend_bound", "l2_bound"), False),
        (DRAM, ("backend_bound",), False),  # the tree has deeper nodes there
        (CORE, ("backend_bound", "core_dependency"), True),
        (CORE, ("retiring",), False),
        ("frontend_bound/fetch_latency", ("frontend_bound",), True),  # the tree has none below
    ],
)
def test_an_answer_must_be_as_deep_as_its_tree(
    expected: str, path: tuple[str, ...], right: bool
) -> None:
    slots = measurement(*path)
    answer = diagnosed_path(slots)
    assert answer is not None
    assert is_right(expected, answer, slots) is right


def test_a_deeper_right_answer_is_shortened() -> None:
    answer = ("backend_bound", "memory_bound", "dram")
    assert shortened(answer, "backend_bound/memory_bound") == "backend_bound/memory_bound"
    assert shortened(answer, CORE) == DRAM


def test_without_a_mark_only_retiring_is_an_answer() -> None:
    assert diagnosed_path(measurement(largest="retiring")) == ("retiring",)
    assert diagnosed_path(measurement(largest="backend_bound")) is None
    assert diagnosed_path(measurement("backend_bound", kind=Kind.UNAVAILABLE)) is None


def test_every_expected_answer_is_in_common_words() -> None:
    for kernel in known_kernels():
        if kernel.is_slot_answer:
            assert "/".join(common_path(kernel.expected.split("/"))) == kernel.expected
