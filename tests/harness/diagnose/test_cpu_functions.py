from pathlib import Path

import pytest

from harness.diagnose.cpu_functions import _Path, _step, cpu_functions
from stallscope.recordings import open_recording
from topdown.stacks.profile import Function, FunctionKind

KERNEL = FunctionKind.KERNEL


def path(*functions: tuple[str, str, FunctionKind]) -> _Path:
    reached = _Path()
    for name, module, kind in functions:
        reached = _step(reached, Function(name, module, kind))
    return reached


def kernel(name: str) -> tuple[str, str, FunctionKind]:
    return name, "[kernel]", KERNEL


MAIN = ("main", "/bin/work", FunctionKind.USER)
LIBC = ("__libc_write", "/usr/lib/libc.so.6", FunctionKind.USER)


def test_a_call_has_its_name_and_the_function_of_the_program() -> None:
    reached = path(MAIN, LIBC, kernel("entry_SYSCALL_64_after_hwframe"), kernel("ksys_write"))
    assert reached == _Path("main", "call", "write")


def test_a_fault_in_a_call_is_a_fault() -> None:
    reached = path(MAIN, LIBC, kernel("do_syscall_64"), kernel("asm_exc_page_fault"))
    assert (reached.caller, reached.way) == ("main", "fault")


def test_an_interrupt_is_neither() -> None:
    assert path(MAIN, kernel("asm_sysvec_apic_timer_interrupt")).way == ""


def test_shares_of_a_recording_are_parts_of_its_cpu_time() -> None:
    functions = cpu_functions(open_recording(Path("tests/captures/switches.perf")))
    if functions is None:
        pytest.fail("the capture has CPU samples")
    assert functions.samples > 0
    assert 0 <= functions.page_faults.share <= 1
    assert 0 <= functions.system_calls.share <= 1
    assert sum(share for _, share in functions.hottest) <= 1.0 + 1e-9
