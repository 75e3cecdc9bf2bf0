"""Function names of a capture's stacks, and the code before the system calls in them."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stallscope.regular_file import RefusedFileError
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.binaries import Binary, find_binary
from topdown.stacks.symbols.limited_reader import LimitedReader
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.symbolizer import FrameSelection, Symbolizer
from topdown.waits.stack_names import StackNames
from topdown.waits.syscall_sites import SITE_BYTES

if TYPE_CHECKING:
    from stallscope._native import Capture

_KERNEL = 1


def stack_names(
    capture: "Capture", symbolizer: Symbolizer
) -> tuple[StackNames, tuple[ProfileWarning, ...]]:
    """Return the names of all stacks of a capture, and warnings about missing names."""
    frames = len(capture.frame_address)
    offset = capture.stack_offset.astype(np.int64)
    outermost = np.zeros(frames, np.bool_)
    filled = offset[1:] > offset[:-1]
    outermost[capture.stack_frame[offset[1:][filled] - 1]] = True
    named = symbolizer.name_frames(capture, FrameSelection(np.ones(frames, np.bool_), outermost))
    numbers, place = np.unique(named.function, return_inverse=True)
    texts = [named.functions[number].name if number >= 0 else "" for number in numbers.tolist()]
    return (
        StackNames(
            tuple(texts),
            capture.stack_offset,
            place.astype(np.uint32)[capture.stack_frame],
            (capture.frame_kind == _KERNEL)[capture.stack_frame],
        ),
        named.warnings,
    )


def code_before_calls(
    capture: "Capture", stacks: npt.NDArray[np.integer], sources: SymbolSources
) -> dict[int, bytes]:
    """Return, by stack, the code before the return address of its innermost user frame.

    Stacks in code without a readable file, such as JIT-compiled code, are left out. A limited
    process reads the files.
    """
    frame_of = _user_leaves(capture, stacks)
    offsets: dict[int, list[int]] = {}
    for frame in sorted(set(frame_of.values())):
        number = int(capture.frame_object[frame])
        if number >= 0 and not capture.objects[number].kernel:
            offsets.setdefault(number, []).append(int(capture.frame_address[frame]))

    def read(request: bytes) -> Iterator[bytes]:
        number = int(request)
        with ExitStack() as files:
            binary = find_binary(capture.objects[number], sources, files)
            if isinstance(binary, Binary):
                yield from (_code(binary, offset) for offset in offsets[number])

    code: dict[tuple[int, int], bytes] = {}
    with LimitedReader(read) as reader:
        for number, places in offsets.items():
            content = reader.output(b"%d" % number).content
            for position, offset in enumerate(places):
                block = content[position * SITE_BYTES : (position + 1) * SITE_BYTES]
                if len(block) == SITE_BYTES:
                    code[number, offset] = block
    result = {}
    for stack, frame in frame_of.items():
        key = (int(capture.frame_object[frame]), int(capture.frame_address[frame]))
        if key in code:
            result[stack] = code[key]
    return result


def _code(binary: Binary, offset: int) -> bytes:
    """Return the SITE_BYTES bytes before an offset of a file; zeros if it has none there."""
    start = offset - SITE_BYTES
    if start < 0 or offset > binary.main.source.size:
        return bytes(SITE_BYTES)
    try:
        return bytes(binary.main.source.read(start, SITE_BYTES))
    except RefusedFileError:
        return bytes(SITE_BYTES)


def _user_leaves(capture: "Capture", stacks: npt.NDArray[np.integer]) -> dict[int, int]:
    """Return the innermost user frame of each stack that has one."""
    leaves = {}
    for stack in stacks.tolist():
        begin, end = int(capture.stack_offset[stack]), int(capture.stack_offset[stack + 1])
        frames = capture.stack_frame[begin:end]
        user = frames[capture.frame_kind[frames] != _KERNEL]
        if len(user):
            leaves[stack] = int(user[0])
    return leaves
