"""Results of the kernels lab with an invented measurement."""

from harness.labs.kernels.diagnosis import SlotSources, diagnose_kernels
from harness.labs.kernels.result import KernelsResult
from tests.harness.labs.kernels.measurements import kernel, measurement
from tests.harness.labs.stages.measurements import SETTINGS


def result(answer: str) -> KernelsResult:
    sources = SlotSources(modelled=lambda _: measurement("backend_bound", answer))
    rows = diagnose_kernels((kernel(),), sources, lambda _: None)
    return KernelsResult(settings=SETTINGS, rows=tuple(rows))
