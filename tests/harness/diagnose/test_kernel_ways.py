from harness.diagnose.kernel_ways import KernelPath, step
from topdown.stacks.profile import Function, FunctionKind

KERNEL = FunctionKind.KERNEL


def path(*functions: tuple[str, str, FunctionKind]) -> KernelPath:
    reached = KernelPath()
    for name, module, kind in functions:
        reached = step(reached, Function(name, module, kind))
    return reached


def kernel(name: str) -> tuple[str, str, FunctionKind]:
    return name, "[kernel]", KERNEL


MAIN = ("main", "/bin/work", FunctionKind.USER)
LIBC = ("__libc_write", "/usr/lib/libc.so.6", FunctionKind.USER)


def test_a_call_has_its_name_and_the_function_of_the_program() -> None:
    reached = path(MAIN, LIBC, kernel("entry_SYSCALL_64_after_hwframe"), kernel("ksys_write"))
    assert reached == KernelPath("main", "call", "write")


def test_a_call_whose_entry_has_no_frame_has_its_name() -> None:
    assert path(MAIN, kernel("do_syscall_64"), kernel("vm_mmap_pgoff")).call == "mmap"
    assert path(MAIN, kernel("do_syscall_64"), kernel("security_file_permission")).call == ""


def test_a_fault_in_a_call_is_a_fault() -> None:
    reached = path(MAIN, LIBC, kernel("do_syscall_64"), kernel("asm_exc_page_fault"))
    assert (reached.caller, reached.way) == ("main", "fault")


def test_an_interrupt_is_neither() -> None:
    assert path(MAIN, kernel("asm_sysvec_apic_timer_interrupt")).way == ""
