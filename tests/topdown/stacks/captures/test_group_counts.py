"""Differences between samples with counts, on constructed sequences."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from topdown.stacks.captures.group_counts import count_samples
from topdown.stacks.sample_counts import SampleCounts

NONE = 0xFFFF_FFFF
CYCLES, INSTRUCTIONS, UNKNOWN = 0, 1, 0xFFFF


@dataclass
class FakeAttribute:
    name: str
    type: int = 4
    config: int = 0
    exclude_user: bool = False
    exclude_kernel: bool = False
    inherit: bool = False


@dataclass
class Sample:
    """A sample: its counters' id, thread, and cumulative counts by event; None without counts."""

    counts: list[int] | None
    stream: int = 7
    thread: int = 0
    period: int = 100
    enabled: int = 1000
    running: int = 1000
    paused: bool = False
    events: tuple[int, ...] = (CYCLES, INSTRUCTIONS)


@dataclass
class FakeCapture:
    """The arrays of a native Capture that hold counts."""

    samples: list[Sample]
    inherit: bool = False
    lost_samples: int = 0
    lost_records: int = 0
    throttles: int = 0
    attributes: list[FakeAttribute] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.attributes = [
            FakeAttribute("cycles", config=1, inherit=self.inherit),
            FakeAttribute("instructions", config=2, inherit=self.inherit),
        ]
        with_counts = [sample for sample in self.samples if sample.counts is not None]
        numbers = iter(range(len(with_counts)))
        self.read = np.array(
            [NONE if sample.counts is None else next(numbers) for sample in self.samples], np.uint32
        )
        self.event = np.zeros(len(self.samples), np.uint16)
        self.thread = np.array([sample.thread for sample in self.samples], np.uint32)
        self.period = np.array([sample.period for sample in self.samples], np.uint64)
        self.read_stream = np.array([sample.stream for sample in with_counts], np.uint64)
        self.read_enabled_ns = np.array([sample.enabled for sample in with_counts], np.uint64)
        self.read_running_ns = np.array([sample.running for sample in with_counts], np.uint64)
        self.read_paused = np.array([sample.paused for sample in with_counts], np.uint8)
        sizes = [len(sample.counts or ()) for sample in with_counts]
        self.read_offset = np.append(0, np.cumsum(sizes)).astype(np.uint64)
        values = [value for sample in with_counts for value in sample.counts or ()]
        self.read_value = np.array(values, np.uint64)
        events = [event for sample in with_counts for event in sample.events[: len(sample.counts)]]
        self.read_event = np.array(events, np.uint16)


def counted(capture: FakeCapture) -> SampleCounts:
    count = len(capture.samples)
    counts = count_samples(capture, np.arange(count), np.zeros(count, np.int32))
    assert counts is not None
    return counts


def test_a_sample_has_the_counts_since_the_previous_sample() -> None:
    counts = counted(FakeCapture([Sample([100, 150]), Sample([200, 400]), Sample([300, 410])]))
    assert counts.events == ("cycles", "instructions")
    assert counts.sampled == 0
    assert counts.delta.tolist() == [[100, 150], [100, 250], [100, 10]]
    assert counts.before.tolist() == [-1, 0, 1]
    assert counts.left_out.total() == 0
    assert counts.gap_share == 0


def test_counters_of_other_cpus_and_threads_are_separate() -> None:
    counts = counted(
        FakeCapture(
            [
                Sample([100, 10], stream=7),
                Sample([100, 90], stream=8, thread=1),
                Sample([200, 30], stream=7),
                Sample([190, 100], stream=8, thread=1),
            ]
        )
    )
    assert counts.delta[:, 1].tolist() == [10, 90, 20, 10]


def test_inherited_counters_of_one_id_are_split_by_thread() -> None:
    samples = [
        Sample([100, 10], thread=0),
        Sample([90, 80], thread=1),
        Sample([200, 30], thread=0),
        Sample([190, 100], thread=1),
    ]
    assert counted(FakeCapture(samples, inherit=True)).delta[:, 1].tolist() == [10, 80, 20, 20]
    apart = counted(FakeCapture(samples))  # one counter, which went backwards
    assert apart.left_out.reset == 3


def test_counters_of_cpus_are_not_split_by_thread_even_if_inherited() -> None:
    samples = [Sample([100 * n, 7 * n], thread=n % 3) for n in range(1, 7)]
    assert counted(FakeCapture(samples, inherit=True)).delta[:, 1].tolist() == [7] * 6


def test_a_gap_is_assigned_to_no_function_if_samples_were_lost() -> None:
    samples = [Sample([100, 100]), Sample([900, 5000]), Sample([1000, 5100])]
    lossy = counted(FakeCapture(samples, lost_samples=7))
    assert lossy.used.tolist() == [True, False, True]
    assert lossy.delta[1].tolist() == [0, 0]
    assert lossy.left_out.gap == 1
    assert lossy.gap_share == pytest.approx(0.8)
    whole = counted(FakeCapture(samples))  # the timer was late, and nothing is missing
    assert whole.delta[1].tolist() == [800, 4900]


def test_counts_while_sampling_was_throttled_are_assigned_to_no_function() -> None:
    """The sampled event was stopped: its count is one period, the others' counts are larger."""
    counts = counted(
        FakeCapture(
            [Sample([100, 100]), Sample([200, 5000], paused=True), Sample([300, 5100])],
            throttles=1,
        )
    )
    assert counts.used.tolist() == [True, False, True]
    assert counts.delta.tolist() == [[100, 100], [0, 0], [100, 100]]
    assert counts.left_out.gap == 1


def test_a_first_sample_counts_from_the_start_unless_the_interval_is_too_long() -> None:
    late = counted(FakeCapture([Sample([5000, 9000]), Sample([5100, 9100])]))
    assert late.used.tolist() == [False, True]
    assert late.left_out.first == 1


def test_a_sample_whose_counts_went_backwards_is_excluded() -> None:
    counts = counted(
        FakeCapture([Sample([100, 50]), Sample([90, 2**63]), Sample([190, 2**63 + 4])])
    )
    assert counts.used.tolist() == [True, False, True]
    assert counts.delta[2].tolist() == [100, 4]
    assert counts.left_out.reset == 1


def test_samples_without_the_whole_group_are_excluded() -> None:
    """Members are opened one by one: the first samples may have fewer."""
    counts = counted(FakeCapture([Sample([10]), Sample(None), Sample([100, 5]), Sample([200, 9])]))
    assert counts.left_out.unread == 2
    assert counts.used.tolist() == [False, False, True, True]
    assert counts.before.tolist() == [-1, -1, -1, 2]
    assert counts.delta[3].tolist() == [100, 4]


def test_a_multiplexed_group_is_scaled_by_its_owner() -> None:
    """A thread is enabled on both of its CPUs and runs on one at a time."""
    samples = [
        Sample([100, 10], stream=1, enabled=1000, running=500),
        Sample([100, 10], stream=2, enabled=2000, running=900),
        Sample([200, 20], stream=1, enabled=2000, running=1100),
        Sample([100, 10], stream=9, thread=1, enabled=1000, running=250),
    ]
    counts = counted(FakeCapture(samples))
    assert counts.running == pytest.approx(0.25)
    assert counts.delta[:3, 1].tolist() == [10, 10, 10]  # 900 + 1100 of 2000
    assert counts.delta[3].tolist() == [400, 40]


def test_an_event_without_an_attribute_is_excluded() -> None:
    sample = Sample([100, 5, 6], events=(CYCLES, UNKNOWN, INSTRUCTIONS))
    counts = counted(FakeCapture([sample]))
    assert counts.events == ("cycles", "instructions")
    assert counts.delta[0].tolist() == [100, 6]


def test_without_readings_there_are_no_counts() -> None:
    capture = FakeCapture([Sample(None), Sample(None)])
    assert count_samples(capture, np.arange(2), np.zeros(2, np.int32)) is None
    capture = FakeCapture([Sample([1], events=(INSTRUCTIONS,))])  # without the sampled event
    assert count_samples(capture, np.arange(1), np.zeros(1, np.int32)) is None
