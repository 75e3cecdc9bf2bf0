"""Callgrind's output: counts by instruction, ways on, and whatever a stranger may put there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stallscope.errors import RecordingError
from topdown.slots.modelled.callgrind_file import (
    ADDRESS_BITS,
    BC,
    BCM,
    D1MR,
    EVENTS,
    IR,
    MAX_OBJECTS,
    CallgrindProfile,
    read_profile,
)

HEAD = f"""# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 1
cmd:  ./program
part: 1

desc: I1 cache: 32768 B, 64 B, 8-way associative
positions: instr line
events: {" ".join(EVENTS)}
summary: 1234
"""
BODY = """
ob=(1) /bin/program
fl=(1) program.c
fn=(1) work
0x1000 3 100 50 0 1 25
0x1004 3 100 0 0 0 0 0 0 0 0 100 7
jcnd=60/100 0x1000 3
0x1004 3
fi=(2) other.h
0x1006 4 40
fe=(1)
cob=(2) /lib/library.so
cfi=(3) library.c
cfn=(2) help
calls=40 0x2000 9
0x1006 4 400 80
jump=3 0x1000 3
0x1010 5
0x1010 5 3

ob=(2)
fn=(2)
0x2000 9 40
totals: 283
"""


def key(number: int, address: int) -> int:
    return number << ADDRESS_BITS | address


def read(text: str) -> CallgrindProfile:
    return read_profile(text.splitlines(keepends=True), "callgrind.out.1")


def test_counts_of_a_call_belong_to_the_callee() -> None:
    profile = read(HEAD + BODY)
    assert profile.objects == ["???", "/bin/program", "/lib/library.so"]
    assert profile.costs[key(1, 0x1000)][IR] == 100
    assert profile.costs[key(1, 0x1000)][D1MR] == 25
    assert profile.costs[key(1, 0x1004)][BC] == 100
    assert profile.costs[key(1, 0x1004)][BCM] == 7
    assert profile.costs[key(1, 0x1006)][IR] == 40
    assert profile.total(IR) == 283


def test_jumps_and_calls_have_their_targets() -> None:
    profile = read(HEAD + BODY)
    assert profile.jumps[key(1, 0x1004)] == {key(1, 0x1000): 60}
    assert profile.conditional[key(1, 0x1004)] == 100
    assert profile.jumps[key(1, 0x1010)] == {key(1, 0x1000): 3}
    assert profile.calls[key(1, 0x1006)] == {key(2, 0x2000): 40}
    called = profile.function_of[key(2, 0x2000)]
    assert profile.callers[called] == {key(1, 0x1006): 40}


def test_several_processes_add_up_and_objects_keep_their_numbers() -> None:
    first = read(HEAD + BODY)
    other = HEAD + "ob=(1) /lib/library.so\nfn=(1) help\n0x2000 9 2\n"
    both = read_profile(other.splitlines(), "callgrind.out.2", first)
    assert both.costs[key(2, 0x2000)][IR] == 42
    alike = CallgrindProfile.with_objects_of(first)
    read_profile(other.splitlines(), "callgrind.out.3", alike)
    assert alike.costs[key(2, 0x2000)][IR] == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0xzz 1 1", "invalid literal"),
        ("0x1000 3 -5", "a count of"),
        ("0x1000 3 99999999999999999999999", "a count of"),
        ("0x1000 3 " + "1 " * 14, "more costs than events"),
        ("fn=(77)", "has no name"),
        ("calls=1", "without a position"),
        ("calls=1 0x10 1\njump=1 0x10 1", "without a position"),
        ("jump=1 0x10 1", "ends within a call or jump"),
        ("hello", "'hello'"),
        ("evil=1", "'evil' is unknown"),
        ("x" * 70_000, "too long"),
        ("events: Ir", "unexpected events"),
    ],
)
def test_an_invalid_line_is_reported_with_its_number(line: str, message: str) -> None:
    text = HEAD + "ob=(1) /bin/program\nfn=(1) work\n" + line + "\n"
    with pytest.raises(RecordingError, match=r"callgrind.out.1: line \d+ is invalid") as error:
        read(text)
    assert message in error.value.message
    assert len(error.value.message) < 400


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(RecordingError, match="ends before its events"):
        read("")


def test_names_are_bounded() -> None:
    many = "".join(f"ob=({number}) /o{number}\n" for number in range(MAX_OBJECTS + 1))
    with pytest.raises(RecordingError, match="more than 4096 names"):
        read(HEAD + many)


@given(st.data())
def test_untrusted_files_are_read_or_refused(data: st.DataObject) -> None:
    lines = (HEAD + BODY).splitlines()
    place = data.draw(st.integers(0, len(lines) - 1))
    lines[place] = data.draw(st.text(max_size=40))
    try:
        profile = read_profile(lines, "callgrind.out.1")
    except RecordingError:
        return
    assert all(count >= 0 for cost in profile.costs.values() for count in cost)
