"""Facts and diagnoses of timelines in text, for tests of rules and texts."""

from pathlib import Path

import msgspec

from harness.diagnose.build import diagnose_result
from harness.diagnose.cpu_functions import CpuFunctions
from harness.diagnose.facts import Measurements
from harness.diagnose.kernel_ways import KernelTime
from harness.diagnose.result import DiagnoseResult
from harness.waits.build import waits_result
from harness.waits.result import WaitCause, WaitsResult
from tests.harness.waits.analyses import analysis

NOTHING = KernelTime(0.0, (), ())
BUSY = "main R(code)0-500"
# As long as the waits of tests that replace its causes.
WAITING = "main R(code)0-290 W(timer,sleep)290-490 R490-500"
_CPU_CAUSES = ("cpu", "throttle", "steal")
LOCKED = """
    hog R(code)0-500
    w-1@1 R0-10 W(hog,lock)10-490 R490-500
    w-2@2 R0-10 W(hog,lock)10-490 R490-500
    """


def waits(text: str) -> WaitsResult:
    """Return the document of the timelines in ``text``."""
    made = analysis(text, cpu_sample_every=10)
    return waits_result(made, recording=Path("run"), report=None)


def cpu(**changes: object) -> CpuFunctions:
    """Return CPU time without a way into the kernel."""
    values: dict[str, object] = {
        "samples": 1000,
        "hottest": (),
        "page_faults": NOTHING,
        "system_calls": NOTHING,
        **changes,
    }
    return CpuFunctions(**values)  # type: ignore[arg-type]


def diagnosis(text: str, functions: CpuFunctions | None = None) -> DiagnoseResult:
    """Return the diagnosis of the timelines in ``text``."""
    return diagnose_result(waits(text), functions)


def _text(causes: tuple[WaitCause, ...], text: str) -> str:
    """Return a text with waits, if there are causes of waits."""
    waits_for = any(cause.kind not in _CPU_CAUSES for cause in causes)
    return text or (WAITING if waits_for else BUSY)


def with_causes(*causes: WaitCause, text: str = "", **changes: object) -> DiagnoseResult:
    """Return the diagnosis of timelines whose waits have these causes."""
    document = msgspec.structs.replace(waits(_text(causes, text)), causes=causes, **changes)
    return diagnose_result(document, None)


def measured(*causes: WaitCause, text: str = "", **measurements: object) -> DiagnoseResult:
    """Return the diagnosis of timelines with these causes and measurements beside the waits."""
    document = waits(_text(causes, text))
    if causes:
        document = msgspec.structs.replace(document, causes=causes)
    return diagnose_result(document, None, None, Measurements(**measurements))  # type: ignore[arg-type]


def causes_of(result: DiagnoseResult) -> list[str]:
    """Return the causes in order of cost."""
    return [finding.cause for finding in result.findings]
