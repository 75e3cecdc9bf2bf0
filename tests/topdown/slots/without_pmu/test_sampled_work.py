"""Work of a program by its samples."""

from dataclasses import replace

import pytest

from tests.topdown.slots.without_pmu.activities import (
    CALLING,
    COMPUTING,
    FAULTING,
    HERD,
    PASSING,
    work,
)
from topdown.slots.without_pmu.kernel_findings import find
from topdown.slots.without_pmu.process_watch import KernelCounters
from topdown.slots.without_pmu.sampled_work import SampledWork


def user_only(samples: SampledWork) -> SampledWork:
    """The same samples if the user may sample user code only."""
    return replace(samples, samples=samples.user.samples, kernel=None)


@pytest.mark.parametrize(
    ("counters", "samples", "answer"),
    [
        (FAULTING, work(50), "kernel: page faults"),
        (CALLING, work(150), "kernel: system calls"),
        (HERD, work(30), "kernel: context switches"),
        (PASSING, work(50), "waiting: sleep"),
    ],
)
def test_counters_suffice_if_kernel_code_is_not_sampled(
    counters: KernelCounters, samples: SampledWork, answer: str
) -> None:
    finding = find(counters, user_only(samples))
    assert finding is not None
    assert finding.answer == answer


def test_too_few_samples_are_ignored() -> None:
    assert find(COMPUTING, work(1, faults=9)) is None
