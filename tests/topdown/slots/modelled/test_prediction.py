"""Predictions outside the model."""

from dataclasses import replace

import pytest

from tests.topdown.slots.modelled.runs import ADDED, INSTRUCTIONS, OUTCOME, RUN
from topdown.slots.modelled.measurement import ModelledRun, measurement_of
from topdown.slots.modelled.prediction import Prediction


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (replace(OUTCOME, native=(replace(RUN, wall_s=5.0),) * 2), "off the CPU"),
        (replace(OUTCOME, native=(replace(RUN, user_s=0.2, system_s=0.8),) * 2), "in the kernel"),
        (
            replace(
                OUTCOME, simulated_s=1.4, prediction=Prediction(ADDED, INSTRUCTIONS // 50, 1.0)
            ),
            "less work",
        ),
        (
            replace(OUTCOME, prediction=Prediction(ADDED, INSTRUCTIONS, 0.3)),
            "could not be disassembled",
        ),
        (
            replace(OUTCOME, native=(RUN, replace(RUN, user_s=9.0, wall_s=9.0))),
            "differ by less",
        ),
    ],
)
def test_no_bottleneck_is_reported_outside_the_model(outcome: ModelledRun, why: str) -> None:
    result = measurement_of(outcome)
    assert result.bottleneck is None
    assert why in result.bottleneck_why
