"""The plan: sizes, strides, threads, nodes, and points that need too much memory."""

from dataclasses import replace

import pytest

from harness.labs.memory.options import GIB, KIB, MIB, MemoryOptions
from harness.labs.memory.plan import ORDERS, LabSection, PlanPart, make_plan, ring_sizes
from harness.labs.memory.points import Pages
from tests.harness.labs.memory.measurements import machine

AMPLE_BYTES = 64 * GIB
DEFAULTS = MemoryOptions()


def parts(
    options: MemoryOptions = DEFAULTS, cpus: int = 4, nodes: int = 1, limit: int = AMPLE_BYTES
) -> dict[LabSection, PlanPart]:
    return {
        part.section: part for part in make_plan(machine(cpus=cpus, nodes=nodes), options, limit)
    }


def test_sizes_are_dense_around_cache_sizes_and_reach_both_ends() -> None:
    sizes = list(ring_sizes(4 * KIB, GIB, 128 * MIB))
    assert sizes[:6] == [4 * KIB, 5 * KIB, 6 * KIB, 7 * KIB, 8 * KIB, 10 * KIB]
    assert sizes[-4:] == [128 * MIB, 256 * MIB, 512 * MIB, GIB]
    assert sizes == sorted(set(sizes))
    assert list(ring_sizes(6 * KIB, 9 * KIB, GIB)) == [6 * KIB, 7 * KIB, 8 * KIB, 9 * KIB]


def test_the_curve_is_walked_alone_in_both_kinds_of_pages() -> None:
    points = parts()[LabSection.CURVE].points
    assert {point.cpus for point in points} == {(0,)}
    assert {point.pages for point in points} == {Pages.HUGE, Pages.SMALL}
    assert {max(p.ring_bytes for p in points if p.pages is pages) for pages in Pages} == {GIB}
    assert all(point.stride_bytes == 64 for point in points)


def test_strides_are_powers_of_two_and_odd_strides() -> None:
    strides = {point.stride_bytes for point in parts()[LabSection.STRIDES].points}
    assert {4096, 65536, 4160} <= strides
    chosen = parts(MemoryOptions(strides=(192,)))[LabSection.STRIDES].points
    assert {point.stride_bytes for point in chosen} == {192}


def test_threads_are_powers_of_two_and_all_cpus() -> None:
    points = parts(cpus=6)[LabSection.THREADS].points
    assert {len(point.cpus) for point in points} == {1, 2, 4, 6}
    assert parts(MemoryOptions(threads=(3,)))[LabSection.THREADS].points[0].cpus == (0, 1, 2)
    assert parts(cpus=1)[LabSection.THREADS] == replace(
        parts(cpus=1)[LabSection.THREADS], points=(), note="there is only one usable CPU"
    )


def test_many_threads_share_a_bounded_memory() -> None:
    part = parts(cpus=128)[LabSection.THREADS]
    assert max(point.total_bytes for point in part.points) == 4 * GIB
    assert {skipped.why for skipped in part.left_out} == {
        "more than the limit of 4 GiB for all threads together"
    }
    assert sum(p.expected_s for p in parts(cpus=128).values()) < 60


def test_every_pair_of_nodes_is_measured_once() -> None:
    points = parts(nodes=2)[LabSection.NODES].points
    assert [(point.cpus, point.node) for point in points] == [
        ((0,), 0),
        ((0,), 1),
        ((2,), 0),
        ((2,), 1),
    ]
    assert parts()[LabSection.NODES].note == "this machine has one NUMA node"


@pytest.mark.parametrize("limit", [MIB, 100 * MIB])
def test_rings_that_exceed_the_limit_are_left_out_with_the_reason(limit: int) -> None:
    whole, bounded = parts(), parts(limit=limit)
    for section, part in bounded.items():
        assert all(point.total_bytes <= limit for point in part.points)
        assert all("more than the" in skipped.why for skipped in part.left_out)
        assert len(part.points) + len(part.left_out) == len(whole[section].points) + len(
            whole[section].left_out
        )
    assert bounded[LabSection.CURVE].left_out


def test_every_level_is_walked_in_every_order() -> None:
    points = parts()[LabSection.ORDERS].points
    sizes = {point.ring_bytes for point in points}
    assert len(sizes) == 4
    assert {(point.order, point.stride_bytes) for point in points} == set(ORDERS)
    assert len(points) == len(sizes) * len(ORDERS)


def test_quick_measures_less() -> None:
    whole, quick = parts(), parts(MemoryOptions(quick=True))
    assert sum(p.expected_s for p in quick.values()) < sum(p.expected_s for p in whole.values()) / 2
    assert max(point.ring_bytes for point in quick[LabSection.CURVE].points) == 128 * MIB
