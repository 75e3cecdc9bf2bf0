"""Results of curves of simulated disks, as a session builds them."""

from harness.io.conditions import DiskConditions
from harness.io.curve.result import CurveRequests, CurveResult, curve_result
from ioprobe.curve.io_properties import DiskProperties
from ioprobe.curve.measurement import measure_curve
from ioprobe.curve.plan import CurvePlan
from tests.ioprobe.server_model import ServerModel


def result(model: ServerModel | None = None, **plan: object) -> CurveResult:
    disk = model or ServerModel(12, 1e-3, exponential=True)
    curve = measure_curve(CurvePlan(**plan), disk.measure, lambda _: None)  # type: ignore[arg-type]
    return curve_result(
        curve,
        CurveRequests(block_bytes=4096, pattern="random", kind="reads"),
        DiskProperties("/srv/<db>", 12000.0, 3e8),
        DiskConditions(
            path="/srv/<db>",
            modelled=True,
            facts={"engine": "io_uring", "filesystem": "ext4 on vda"},
            warnings=("a note <b>",),
            seconds=41.0,
        ),
    )
