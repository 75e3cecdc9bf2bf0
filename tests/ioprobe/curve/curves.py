"""Curves of simulated disks."""

from ioprobe.curve.measurement import Curve, CurveProgress, measure_curve
from ioprobe.curve.plan import CurvePlan
from tests.ioprobe.server_model import ServerModel


def silent(progress: CurveProgress) -> None:
    """Ignore the progress."""


def curve(model: ServerModel, **plan: object) -> Curve:
    return measure_curve(CurvePlan(**plan), model.measure, silent)  # type: ignore[arg-type]
