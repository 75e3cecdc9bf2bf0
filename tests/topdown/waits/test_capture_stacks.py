import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.symbolizer import NamedFrames
from topdown.waits.capture_stacks import code_before_calls, stack_names
from topdown.waits.syscall_sites import SITE_BYTES, number_in_code

KERNEL, USER = 1, 0


def capture(stacks: list[list[int]], frames: list[tuple[int, int, int]], objects: Any = ()) -> Any:
    """Return a capture with frames of (kind, object, address)."""
    columns = [list(column) for column in zip(*frames, strict=True)]
    return SimpleNamespace(
        stack_offset=np.cumsum([0, *map(len, stacks)]).astype(np.uint64),
        stack_frame=np.array([frame for stack in stacks for frame in stack], np.uint32),
        frame_kind=np.array(columns[0], np.uint8),
        frame_object=np.array(columns[1], np.int32),
        frame_address=np.array(columns[2], np.uint64),
        objects=list(objects),
    )


def test_stacks_have_the_names_of_their_frames() -> None:
    functions = [Function(name, "m", FunctionKind.USER) for name in ("schedule", "read", "main")]

    class Names:
        def name_frames(self, _: Any, frames: Any) -> NamedFrames:
            assert frames.selected.all()
            assert frames.outermost.tolist() == [False, False, True]
            ends = np.ones(3, np.bool_)
            return NamedFrames(functions, np.arange(3, dtype=np.int32), ends, False, ())  # type: ignore[arg-type]

    stacks = capture([[0, 1, 2], [2], []], [(KERNEL, -1, 1), (USER, 0, 2), (USER, 0, 3)])
    names, warnings = stack_names(stacks, Names())  # type: ignore[arg-type]
    assert names.of(0) == ("schedule", "read", "main")
    assert names.kernel_part(0) == ("schedule",)
    assert names.of(1) == ("main",)
    assert names.of(2) == ()
    assert warnings == ()


def system_call_in(path: Path) -> int:
    """Return the offset behind the first call of a known number in a file."""
    content = path.read_bytes()
    place = content.find(b"\x0f\x05")
    while place >= 0:
        end = place + 2
        if number_in_code(content[end - SITE_BYTES : end]) is not None:
            return end
        place = content.find(b"\x0f\x05", place + 1)
    pytest.fail(f"{path} has no system call")


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="needs x86-64")
def test_the_code_before_a_system_call_is_that_of_the_file() -> None:
    with open("/proc/self/maps") as maps:
        libc = next(line.split()[-1] for line in maps if "/libc.so.6" in line)
    offset = system_call_in(Path(libc))
    status = Path(libc).stat()
    mapped = SimpleNamespace(
        path=libc.encode(),
        build_id=b"",
        kernel=False,
        pid=os.getpid(),
        start=0,
        length=0,
        page_offset=0,
        major=os.major(status.st_dev),
        minor=os.minor(status.st_dev),
        inode=status.st_ino,
    )
    stacks = capture(
        [[0, 1], [2], [0]], [(KERNEL, -1, 9), (USER, 0, offset), (USER, -1, 7)], [mapped]
    )
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text()
    sources = SymbolSources(boot_id=boot_id, recorded_ns=2**62)
    code = code_before_calls(stacks, np.array([0, 1, 2]), sources)
    assert set(code) == {0}  # neither JIT-compiled code nor a stack of the kernel alone
    assert number_in_code(code[0]) is not None
