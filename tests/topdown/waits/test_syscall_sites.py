import numpy as np
import pytest

from topdown.waits.records import NO_ROW, SwitchSamples
from topdown.waits.syscall_sites import NOT_IN_CALL, UNKNOWN_CALL, call_numbers, number_in_code

ENOSYS = 2**64 - 38


@pytest.mark.parametrize(
    ("code", "number"),
    [
        ("b8 ca 00 00 00 0f 05", 202),
        ("31 c0 0f 05", 0),
        ("48 c7 c0 e8 00 00 00 0f 05", 232),
        ("b8 ca 00 00 00 45 31 c0 0f 05", 202),  # xor r8d, r8d is no number
        ("b8 e6 00 00 00 41 b8 07 00 00 00 0f 05", 230),  # neither is mov r8d
        ("b8 07 00 00 00 b8 01 00 00 00 0f 05", 1),
        ("48 89 f8 0f 05", None),  # syscall(2) itself takes it from an argument
        ("b8 ca 00 00 00", None),
        ("0f 05", None),
        ("", None),
    ],
)
def test_the_number_is_the_last_load_before_the_call(code: str, number: int | None) -> None:
    assert number_in_code(bytes.fromhex(code)) == number


def samples(rows: list[tuple[int, int, int]]) -> SwitchSamples:
    """Return samples with (result, return address, stack); the instruction pointer is 0x100."""
    registers = np.zeros((len(rows), 10), np.uint64)
    registers[:, 0] = 0x100
    registers[:, 2] = [row[0] for row in rows]
    registers[:, 9] = [row[1] for row in rows]
    count = len(rows)
    return SwitchSamples(
        np.arange(count, dtype=np.uint64),
        np.zeros(count, np.uint32),
        np.array([row[2] for row in rows], np.uint32),
        np.arange(count, dtype=np.uint32),
        registers,
    )


def test_only_registers_of_a_blocked_call_have_a_number() -> None:
    rows = [(ENOSYS, 0x100, 0), (0, 0x100, 0), (ENOSYS, 0x200, 0), (ENOSYS, 0x100, 1)]
    code = {0: bytes.fromhex("b8ca0000000f05"), 1: None}
    numbers = call_numbers(samples(rows), code.__getitem__)
    assert numbers.tolist() == [202, NOT_IN_CALL, NOT_IN_CALL, UNKNOWN_CALL]


def test_samples_without_registers_are_unknown() -> None:
    without = samples([(ENOSYS, 0x100, 0)])
    without.register_row[:] = NO_ROW
    assert call_numbers(without, lambda _: b"").tolist() == [UNKNOWN_CALL]


def test_on_arm64_the_number_is_in_x8_behind_a_supervisor_call() -> None:
    rows = [(98, 0, 0), (98, 0, 1), (98, 0, 2), (2**63, 0, 0)]
    code = {0: bytes.fromhex("480c8052 010000d4"), 1: bytes.fromhex("480c8052 1f2003d5")}
    numbers = call_numbers(samples(rows), code.get, architecture="aarch64")
    assert numbers.tolist() == [98, NOT_IN_CALL, UNKNOWN_CALL, UNKNOWN_CALL]


def test_on_arm64_samples_without_registers_are_unknown() -> None:
    without = samples([(98, 0, 0)])
    without.register_row[:] = NO_ROW
    numbers = call_numbers(without, lambda _: bytes.fromhex("010000d4"), architecture="arm64")
    assert numbers.tolist() == [UNKNOWN_CALL]
