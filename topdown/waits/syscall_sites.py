"""Numbers of system calls in which threads are blocked.

The registers of a blocked thread hold the arguments, but on x86-64 not the number: the kernel has
replaced ax by -ENOSYS. The instruction before ``syscall`` loads the number, so the code shows it.
On arm64 the number stays in x8, and the code shows whether the thread is in a call at all.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from topdown.waits.records import NO_ROW, NO_STACK, REGISTER_NAMES, SwitchSamples

SITE_BYTES = 32
UNKNOWN_CALL = -1
NOT_IN_CALL = -2
_ENOSYS = np.uint64(2**64 - 38)
_SYSCALL = b"\x0f\x05"
_SVC = (0xD4000001).to_bytes(4, "little")  # svc #0
_ARM64 = ("aarch64", "arm64")
_LARGEST_NUMBER = 1024
_IP, _RESULT, _RETURN = (REGISTER_NAMES.index(name) for name in ("ip", "result", "return_address"))

Numbers = npt.NDArray[np.int32]


def number_in_code(code: bytes) -> int | None:
    """Return the number that the code loads before ``syscall``; None if it is not there.

    ``code``: the bytes before the return address, up to SITE_BYTES. Of several loads of eax the
    last one counts: mov eax, imm32; mov rax, imm32; xor eax, eax.
    """
    if not code.endswith(_SYSCALL):
        return None
    for place in range(len(code) - 4, -1, -1):
        before = code[place - 1] if place else 0
        if code[place : place + 2] == b"\x31\xc0" and not 0x40 <= before <= 0x4F:
            return 0
        number = None
        if code[place] == 0xB8 and not 0x41 <= before <= 0x4F and place + 5 <= len(code) - 2:
            number = int.from_bytes(code[place + 1 : place + 5], "little")
        elif code[place : place + 3] == b"\x48\xc7\xc0" and place + 7 <= len(code) - 2:
            number = int.from_bytes(code[place + 3 : place + 7], "little")
        if number is not None and number < _LARGEST_NUMBER:
            return number
    return None


def in_call(samples: SwitchSamples) -> npt.NDArray[np.bool_]:
    """Return whether the registers of each sample are those of a blocked system call (x86-64)."""
    blocked = np.zeros(len(samples.time_ns), np.bool_)
    with_registers = np.flatnonzero(samples.register_row != NO_ROW)
    registers = samples.registers[samples.register_row[with_registers]]
    blocked[with_registers] = (registers[:, _RESULT] == _ENOSYS) & (
        registers[:, _RETURN] == registers[:, _IP]
    )
    return blocked


def call_numbers(
    samples: SwitchSamples,
    code_before: Callable[[int], bytes | None],
    *,
    architecture: str = "x86_64",
) -> Numbers:
    """Return the number of the system call of each sample, UNKNOWN_CALL or NOT_IN_CALL.

    ``code_before``: returns the code before the return address of a stack's leaf, None if it is
    not available; called once per stack. Samples without registers are UNKNOWN_CALL.
    """
    if architecture in _ARM64:
        return _arm64_numbers(samples, code_before)
    result = np.full(len(samples.time_ns), UNKNOWN_CALL, np.int32)
    has_registers = samples.register_row != NO_ROW
    blocked = in_call(samples)
    result[has_registers & ~blocked] = NOT_IN_CALL
    rows = np.flatnonzero(blocked & (samples.stack != NO_STACK))
    stacks, inverse = np.unique(samples.stack[rows], return_inverse=True)
    numbers = np.full(len(stacks), UNKNOWN_CALL, np.int32)
    for place, stack in enumerate(stacks.tolist()):
        code = code_before(stack)
        number = number_in_code(code) if code else None
        if number is not None:
            numbers[place] = number
    result[rows] = numbers[inverse]
    return result


def _arm64_numbers(samples: SwitchSamples, code_before: Callable[[int], bytes | None]) -> Numbers:
    """Return the numbers in x8, the column of the result, of samples behind ``svc``."""
    result = np.full(len(samples.time_ns), UNKNOWN_CALL, np.int32)
    rows = np.flatnonzero((samples.register_row != NO_ROW) & (samples.stack != NO_STACK))
    stacks, inverse = np.unique(samples.stack[rows], return_inverse=True)
    codes = [code_before(stack) for stack in stacks.tolist()]
    available = np.array([bool(code) for code in codes], np.bool_)[inverse]
    in_svc = np.array([(code or b"").endswith(_SVC) for code in codes], np.bool_)[inverse]
    numbers = samples.registers[samples.register_row[rows], _RESULT]
    valid = in_svc & (numbers < _LARGEST_NUMBER)
    result[rows[available & ~in_svc]] = NOT_IN_CALL
    result[rows[valid]] = numbers[valid].astype(np.int32)
    return result
