"""Wall time as weight: perf's known answers, idle time, sums."""

from collections import Counter

import numpy as np
import pytest

from tests.topdown.waits.wait_records_builder import Place, build_records
from topdown.waits.records import WaitRecords
from topdown.waits.timeline import build_intervals
from topdown.waits.wall_weights import WallWeights, wall_weights

PLACES = {name: Place(user=(name, "main")) for name in ("a", "b", "c", "lock", "disk")}


def weigh(
    text: str, *, every: float | None = 1.0, **options: object
) -> tuple[WaitRecords, WallWeights]:
    records = build_records(text, places=PLACES, cpu_sample_every=every, **options).records
    return records, wall_weights(records, build_intervals(records))


def shares(records: WaitRecords, weights: WallWeights) -> dict[str, float]:
    """Return the shares of the functions in which samples were taken."""
    names = list(PLACES)
    sums: Counter[str] = Counter()
    for stack, value in zip(records.cpu_samples.stack, weights.cpu, strict=True):
        sums[names[stack]] += int(value)
    for stack, value in zip(records.switch_samples.stack, weights.switch, strict=True):
        sums[names[stack] + " waits"] += int(value)
    sums["other"] = int(weights.other_ns.sum())
    assert sum(sums.values()) == weights.wall_ns == records.end_ns - records.begin_ns
    return {name: value / weights.wall_ns for name, value in sums.items() if value}


def test_one_thread_then_two_give_equal_wall_shares() -> None:
    text = """
        one@0 R(a)0-1000 W(?,lock)1000-2000
        two@0 W(one)0-1000 R(b)1000-2000
        three@1 W(one)0-1000 R(b)1000-2000
    """
    records, weights = weigh(text)
    periods = Counter[int]()
    for stack in records.cpu_samples.stack.tolist():
        periods[stack] += 1
    assert periods[1] / periods.total() == pytest.approx(2 / 3, abs=0.01)
    assert shares(records, weights) == pytest.approx({"a": 0.5, "b": 0.5}, abs=0.01)


def test_the_known_answer_of_perf_latency() -> None:
    """1 s a; 1 s b in two threads beside c; 2 s a beside c: wall 50, 16.67, 33.33 %."""
    text = """
        main@0 R(a)0-1000 W(?,lock)1000-2000 R(a)2000-4000
        b1@1 W(main)0-1000 R(b)1000-2000 W(?)2000-4000
        b2@2 W(main)0-1000 R(b)1000-2000 W(?)2000-4000
        c@3 W(main)0-1000 R(c)1000-4000
    """
    assert shares(*weigh(text)) == pytest.approx({"a": 0.5, "b": 1 / 6, "c": 1 / 3}, abs=0.01)


def test_idle_time_belongs_to_the_thread_that_runs_next_at_its_blocking_stack() -> None:
    text = """
        main R(a)0-10 W(?,disk)10-90 R(a)90-100
        pool@1 R(b)0-20 W(?,lock)20-100
    """
    # Nothing runs from 20 to 90; a and b share 0 to 10.
    assert shares(*weigh(text)) == pytest.approx(
        {"a": 0.15, "b": 0.15, "disk waits": 0.7}, abs=0.01
    )


def test_a_wait_with_a_wake_up_and_a_run_queue_has_the_stack_of_the_wait() -> None:
    text = "main R(a)0-10 W(timer,disk)10-80 Q80-90 R(a)90-100"
    assert shares(*weigh(text)) == pytest.approx({"a": 0.2, "disk waits": 0.8}, abs=0.01)


def test_idle_time_after_the_last_run_belongs_to_the_thread_that_ran_last() -> None:
    assert shares(*weigh("main R(a)0-10 W(?,lock)10-100")) == pytest.approx(
        {"a": 0.1, "lock waits": 0.9}, abs=0.01
    )


def test_idle_time_without_a_recorded_stack_is_time_of_the_thread() -> None:
    records, weights = weigh("main W(?)0-60 R(a)60-100")
    assert shares(records, weights) == pytest.approx({"a": 0.4, "other": 0.6}, abs=0.01)
    assert weights.other_thread.tolist() == [0]
    assert weights.idle_ns == 60_000_000


def test_running_time_without_samples_is_time_of_its_threads() -> None:
    records, weights = weigh("main R(a)0-40 W(?,lock)40-100", every=None)
    assert np.isnan(weights.scale)
    assert shares(records, weights) == pytest.approx({"other": 0.4, "lock waits": 0.6}, abs=0.01)


def test_threads_that_never_run_have_all_time() -> None:
    _, weights = weigh("main W(?)0-50\nother W(?)0-50")
    assert weights.idle_ns == weights.wall_ns == int(weights.other_ns.sum())


def test_the_number_of_running_threads_is_limited_to_that_of_cpus() -> None:
    """Lost records may leave threads running that do not run."""
    records, weights = weigh("a@0 R(a)0-10\nb@0 R(b)0-10")
    assert records.cpus == 1
    assert weights.scale == pytest.approx(0.5, abs=0.01)


def test_random_timelines_add_up_to_the_wall_time() -> None:
    random = np.random.default_rng(7)
    for _ in range(20):
        lines = []
        for thread in range(3):
            times = np.sort(random.choice(np.arange(1, 400), 8, replace=False))
            kinds = ["R(a)", "W(?,lock)"] * 4
            edges = [0, *times.tolist(), 400]
            words = [
                f"{kind}{begin}-{end}"
                for kind, begin, end in zip([*kinds, "R(b)"], edges, edges[1:], strict=False)
            ]
            lines.append(f"t{thread}@{thread} " + " ".join(words))
        records, weights = weigh("\n".join(lines))
        assert sum(shares(records, weights).values()) == pytest.approx(1)
        assert weights.scale == pytest.approx(1, abs=0.05)


def test_samples_of_other_processes_have_no_weight() -> None:
    records, weights = weigh("main@0 R(a)0-10\nswapper@1/!idle R(b)0-10")
    assert shares(records, weights) == pytest.approx({"a": 1.0})
