"""The result of a modelled mix, as a session builds it."""

from harness.io.conditions import DiskConditions
from harness.io.mix.result import MixResult, mix_result
from ioprobe.mix.measurement import measure_mix
from ioprobe.mix.plan import MixPlan
from tests.ioprobe.mix_model import MixModel


def result(plan: MixPlan | None = None) -> MixResult:
    mix = measure_mix(plan or MixPlan(), MixModel().measure, lambda progress: None)  # noqa: ARG005
    conditions = DiskConditions(
        path="/srv/<db>", modelled=True, facts={"a": "<b>"}, warnings=("x <i>",), seconds=60.0
    )
    return mix_result(mix, conditions)
