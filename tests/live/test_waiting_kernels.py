"""Waiting programs of stallscope-kernels: their accounts of states add up."""

import pytest

from tests.live.waiting_kernels import RAISED, Report, report

pytestmark = pytest.mark.live

# These differ in counts instead.
OTHERS = ("short-and-long-waits", "condition-herd", "busy-neighbour")


def check_sums(document: Report) -> None:
    assert len(document["threads"]) == document["parameters"]["threads"]
    for thread in document["threads"]:
        states = thread["states_ns"]
        assert sum(states.values()) == pytest.approx(thread["wall_ns"], rel=0.01)
        assert states["rest"] <= 0.05 * thread["wall_ns"]
        assert thread["wall_ns"] <= 1.01 * document["elapsed_ns"]


@pytest.mark.parametrize("name", [*RAISED, *OTHERS])
def test_the_states_of_each_thread_add_up_to_its_wall_time(name: str) -> None:
    for options in ((), ("--look-alike",)):
        check_sums(report(name, *options))


def test_a_broadcast_wakes_more_threads_per_item_than_the_look_alike() -> None:
    accounts = [report("condition-herd", *x)["account"] for x in ((), ("--look-alike",))]
    per_item = [x["wake_ups"] / x["items_taken"] for x in accounts]
    assert per_item[0] > 2 * per_item[1]


def test_the_readings_of_an_account_grow_to_its_end() -> None:
    for thread in report("lock-hog")["threads"]:
        times = [reading["at_ns"] for reading in thread["readings"]]
        assert times == sorted(times)
        assert times[-1] - times[0] == thread["wall_ns"]
        assert thread["readings"][-1]["states_ns"] == thread["states_ns"]
        assert 2 <= len(times) < 50  # a busy machine makes them fewer
