"""The sources of slots on this machine."""

from types import SimpleNamespace

import pytest

from harness.labs.kernels import sources as kernels_sources
from harness.labs.kernels.diagnosis import diagnose_kernels
from harness.labs.kernels.known_kernels import known_kernels
from harness.labs.kernels.result import KernelVerdict
from harness.machine_checks.check import Status
from harness.topdown.options import SlotSource, TopdownOptions
from harness.topdown.sources import TopdownRun
from tests.harness.labs.kernels.measurements import measurement
from topdown.slots.measurement import Kind


def test_counters_start_after_the_set_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    requests: list[TopdownOptions] = []

    def count(request: TopdownOptions, *_: object) -> TopdownRun:
        requests.append(request)
        return TopdownRun(measurement("backend_bound", "divider", kind=Kind.MEASURED))

    available = SimpleNamespace(status=Status.AVAILABLE)
    monkeypatch.setattr(kernels_sources, "pmu_check", lambda _: available)
    monkeypatch.setattr(kernels_sources, "measure_slots", count)
    divide = known_kernels(("divide-chain",))
    sources = kernels_sources.available_sources()
    (row,) = diagnose_kernels(divide, sources, lambda _: None)
    assert (row.verdict, row.kind) == (KernelVerdict.RIGHT, Kind.MEASURED)
    (request,) = requests
    assert request.source is SlotSource.PMU
    assert request.choice is not None
    assert len(request.choice.pids) == 1
