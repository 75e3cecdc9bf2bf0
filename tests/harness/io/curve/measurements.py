"""Curves of modelled disks, as a session would have made them."""

from harness.io.curve.document import Measurement, Requests
from ioprobe.curve.io_properties import DiskProperties
from ioprobe.curve.plan import CurvePlan
from ioprobe.curve.rounds import measure_curve
from tests.ioprobe.server_model import ServerModel


def measurement(model: ServerModel | None = None, **plan: object) -> Measurement:
    disk = model or ServerModel(12, 1e-3, exponential=True)
    curve = measure_curve(CurvePlan(**plan), disk.measure, lambda progress: None)  # type: ignore[arg-type]  # noqa: ARG005
    return Measurement(
        path="/srv/<db>",
        modelled=True,
        requests=Requests(4096, "random", writes=False),
        curve=curve,
        properties=DiskProperties("/srv/<db>", 12000.0, 3e8),
        facts={"engine": "io_uring", "filesystem": "ext4 on vda"},
        warnings=["a note <b>"],
        seconds=41.0,
    )
