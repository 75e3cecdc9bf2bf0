"""The diagnosis of known programs by every source."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from harness.labs.kernels.diagnosis import NOT_SIMULATED, SlotSources, diagnose_kernels
from harness.labs.kernels.known_kernels import KnownKernel, known_kernels
from harness.labs.kernels.result import KernelRow, KernelVerdict
from stallscope.errors import TargetError
from tests.harness.labs.kernels.measurements import kernel, measurement
from topdown.slots.measurement import Kind, Measurement
from topdown.slots.without_pmu.kernel_findings import RUN_QUEUE, SYSTEM_CALLS, KernelFinding


def rows_of(kernels: tuple[KnownKernel, ...], sources: SlotSources) -> list[KernelRow]:
    return list(diagnose_kernels(kernels, sources, lambda _: None))


def test_counters_are_preferred_to_the_model() -> None:
    counted = measurement("backend_bound", "l2_bound", kind=Kind.MEASURED)
    both = SlotSources(measured=lambda _: counted, modelled=lambda _: measurement())
    (row,) = rows_of((kernel(),), both)
    assert (row.kind, row.verdict) == (Kind.MEASURED, KernelVerdict.WRONG)
    assert row.answer == "backend_bound/memory_bound/l2"


def test_an_explanation_beyond_the_model_is_wrong() -> None:
    store = kernel("store-forwarding", "backend_bound/memory_bound/l1")
    unexplained_source = SlotSources(modelled=lambda _: measurement("unexplained"))
    (row,) = rows_of((store,), unexplained_source)
    assert (row.verdict, row.answer) == (KernelVerdict.BEYOND, "unexplained")
    explaining_source = SlotSources(
        modelled=lambda _: measurement("backend_bound", "core_dependency")
    )
    assert rows_of((store,), explaining_source)[0].verdict is KernelVerdict.WRONG
    counted = SlotSources(measured=lambda _: measurement("unexplained", kind=Kind.MEASURED))
    assert rows_of((store,), counted)[0].verdict is KernelVerdict.WRONG


def test_several_threads_are_beyond_the_model() -> None:
    shared = kernel("false-sharing", "backend_bound/memory_bound", threads=2)
    (row,) = rows_of((shared,), SlotSources(modelled=lambda _: measurement("backend_bound")))
    assert (row.verdict, row.kind, row.answer) == (KernelVerdict.BEYOND, Kind.UNAVAILABLE, None)


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (None, KernelVerdict.BEYOND),
        (RUN_QUEUE, KernelVerdict.BEYOND),  # a spinning thread waits for a CPU
        (SYSTEM_CALLS, KernelVerdict.WRONG),
    ],
)
def test_waiting_for_a_lock_is_beyond_kernel_counters(
    monkeypatch: pytest.MonkeyPatch, answer: str | None, verdict: KernelVerdict
) -> None:
    finding = None if answer is None else KernelFinding(answer, "why")
    module = "harness.labs.kernels.diagnosis"
    monkeypatch.setattr(f"{module}.observe", lambda _: SimpleNamespace(finding=finding))
    monkeypatch.setattr(f"{module}.running_kernel", lambda *_: nullcontext(1))
    (row,) = rows_of((kernel("spin-convoy", "waiting: lock", threads=4),), SlotSources())
    assert row.verdict is verdict


def test_a_program_that_fails_does_not_stop_the_others() -> None:
    def diagnose(kernel: KnownKernel) -> Measurement:
        if kernel.name == "first":
            raise TargetError("it crashed", "restart it")
        return measurement("backend_bound", "dram_bound")

    first, second = rows_of((kernel("first"), kernel("second")), SlotSources(modelled=diagnose))
    assert (first.verdict, first.why) == (KernelVerdict.FAILED, "it crashed; restart it")
    assert second.verdict is KernelVerdict.RIGHT


def test_programs_outside_the_model_are_known_kernels() -> None:
    assert {kernel.name for kernel in known_kernels()} >= NOT_SIMULATED
