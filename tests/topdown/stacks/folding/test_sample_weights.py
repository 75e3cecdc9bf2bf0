"""Weights of samples that replace their periods."""

import numpy as np

from topdown.stacks.folding.sample_weights import SampleWeights
from topdown.stacks.profile import SampleSource

SOURCE = SampleSource("wall time", "measured", "ns", 999, None, "user")


def test_selected_weights_leave_out_weight_without_a_sample() -> None:
    weights = SampleWeights(
        np.array([2, 5, 9]),
        np.array([10, 20, 30]),
        SOURCE,
        np.array([1], np.uint32),
        np.array([40]),
        2.5,
    )
    part = weights.select(np.array([True, False, True]))
    assert part.rows.tolist() == [2, 9]
    assert part.values.tolist() == [10, 30]
    assert len(part.other_thread) == len(part.other_values) == 0
    assert (part.source, part.duration_s) == (SOURCE, 2.5)
