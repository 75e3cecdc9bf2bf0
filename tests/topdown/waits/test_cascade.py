import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.topdown.waits.segments_builder import build_segments
from topdown.waits import cascade as cascade_module
from topdown.waits.cascade import Segments, cascade
from topdown.waits.wait_chains import Activity

LOCK_CONVOY = """
    H R0-2 W(disk)2-88 R88-90
    V1 W(H)0-90 R90-91
    V2 W(V1)0-91 R91-92
    V3 W(V2)0-92
"""


def amounts(text: str, *origins: str) -> tuple[dict[str, int], dict[str, int]]:
    """Return edges ("A>B") and blame ("disk", "H run") of the waits of ``origins``."""
    segments, nodes = build_segments(text)
    names = list(nodes)
    chosen = np.array([name in origins for name in names[: segments.threads]]) if origins else None
    result = cascade(segments, origins=chosen)
    edges = {f"{names[a]}>{names[b]}": total for (a, b), total in result.edges.items()}
    blame = {
        names[node] if kind == Activity.WAIT else f"{names[node]} {kind.name.lower()}": total
        for (node, kind), total in result.blame().items()
    }
    return edges, blame


def test_a_wait_for_a_thread_that_waits_for_the_disk_is_passed_on_to_the_disk() -> None:
    text = """
        A R0-10 W(B)10-100
        B R0-20 W(disk)20-90 R90-100
    """
    edges, blame = amounts(text)
    assert edges == {"A>B": 90, "B>disk": 140}
    assert blame == {"disk": 140, "B run": 20}
    assert amounts(text, "A")[1] == {"disk": 70, "B run": 20}


def test_blame_includes_queues_and_threads_two_steps_away() -> None:
    _, blame = amounts(
        """
        U W(S)0-100
        S Q0-20 R20-50 W(D)50-90 R90-100
        D R0-60 W(disk)60-85 R85-90
        """,
        "U",
    )
    assert blame == {"S queue": 20, "S run": 40, "D run": 15, "disk": 25}


def test_each_victim_of_a_convoy_passes_its_wait_on_to_the_holder() -> None:
    edges, blame = amounts(LOCK_CONVOY, "V1", "V2", "V3")
    assert edges == {"V1>H": 270, "V2>V1": 182, "V3>V2": 92, "H>disk": 258}
    assert blame == {"disk": 258, "H run": 12, "V1 run": 2, "V2 run": 1}


def test_threads_that_wait_for_each_other_in_turn_end() -> None:
    edges, blame = amounts("A R0-5 W(B)5-10\nB W(A)0-5 R5-10")
    assert edges == {"A>B": 5, "B>A": 5}
    assert blame == {"A run": 5, "B run": 5}


def test_contradictory_records_of_mutual_waits_end_as_a_cycle() -> None:
    edges, blame = amounts("A W(B)0-10\nB W(C)0-12\nC W(A)0-15\nD W(A)0-10")
    assert sum(blame.values()) == 10 + 12 + 15 + 10
    assert {name for name in blame if not name.endswith("cycle")} <= {"A run", "B run", "C run"} | {
        name for name in blame if name.endswith("unknown")
    }
    assert edges["D>A"] == 10


def test_time_without_records_of_the_cause_is_unknown() -> None:
    _, blame = amounts("A W(B)0-100\nB R20-30")
    assert blame == {"B unknown": 90, "B run": 10}


def test_chains_name_groups_and_the_time_of_each_step() -> None:
    segments, nodes = build_segments(LOCK_CONVOY)
    groups = [{"H": 0, "disk": 2}.get(name, 1) for name in nodes]
    result = cascade(segments, origins=np.array([False, True, True, True]), groups=groups)
    disk = max(result.leaves, key=lambda leaf: leaf.wait_ns)
    assert disk.node == nodes["disk"]
    chains = {
        tuple(group for group, _ in result.steps(leaf.chain)): leaf.wait_ns
        for leaf in result.leaves
        if leaf.activity == Activity.WAIT
    }
    assert chains == {(1, 0, 2): 86, (1, 1, 0, 2): 2 * 86}
    assert result.steps(result.leaves[0].chain)[0] == (1, 273)


def test_windows_of_time_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = amounts(LOCK_CONVOY)
    monkeypatch.setattr(cascade_module, "WINDOW_WAITS", 1)
    assert amounts(LOCK_CONVOY) == whole


def test_of_many_waits_random_periods_are_followed_and_scaled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rounds = range(0, 400_000, 100)
    worker = " ".join(f"R{at}-{at + 20} W(S){at + 20}-{at + 100}" for at in rounds)
    server = " ".join(f"W(disk){at}-{at + 40} R{at + 40}-{at + 100}" for at in rounds)
    text = f"A {worker}\nS {server}"
    monkeypatch.setattr(cascade_module, "MAX_WAITS", 1200)
    segments, nodes = build_segments(text)
    result = cascade(segments, origins=np.array([True, False]))
    assert 0.1 < result.followed_share < 0.5
    blame = result.blame()
    assert sum(blame.values()) == pytest.approx(4000 * 80, rel=0.01)
    assert blame[nodes["disk"], Activity.WAIT] == pytest.approx(4000 * 20, rel=0.1)


def test_no_waits_give_no_blame() -> None:
    assert amounts("A R0-10") == ({}, {})


@st.composite
def timelines(draw: st.DrawFn) -> Segments:
    """Return arbitrary segments, also contradictory ones."""
    threads = draw(st.integers(1, 4))
    lines = []
    for thread in range(threads):
        limits = sorted({0, 40, *draw(st.lists(st.integers(1, 39), max_size=6))})
        words = []
        for begin, end in itertools.pairwise(limits):
            target = draw(st.sampled_from(["", "disk", *(f"T{n}" for n in range(threads))]))
            words.append(f"W({target}){begin}-{end}" if target else f"R{begin}-{end}")
        lines.append(" ".join([f"T{thread}", *words]))
    return build_segments("\n".join(lines))[0]


@given(timelines())
def test_blame_is_the_sum_of_the_waits(segments: Segments) -> None:
    waits = segments.activity == Activity.WAIT
    total = int((segments.end_ns - segments.begin_ns)[waits].sum())
    assert sum(cascade(segments).blame().values()) == total
