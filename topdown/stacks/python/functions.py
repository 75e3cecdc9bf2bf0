"""Functions of a profile from Python code objects, and the source lines of samples."""

from collections import Counter

import numpy as np
import numpy.typing as npt

from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.python.frames import PythonFrames

_LINES_PER_FUNCTION = 16


def python_functions(
    frames: PythonFrames, first: int
) -> tuple[tuple[Function, ...], npt.NDArray[np.int64]]:
    """Return the functions, numbered from ``first``, and the function number of each code object.

    Code objects with equal name, file and first line are one function.
    """
    numbers: dict[tuple[str, str, int], int] = {}
    code_functions = [
        first + numbers.setdefault((code.name, code.file, code.first_line), len(numbers))
        for code in frames.codes
    ]
    functions = tuple(Function(name, file, FunctionKind.PYTHON) for name, file, _ in numbers)
    return functions, np.array(code_functions, np.int64)


def line_counts(
    frames: PythonFrames,
    stack: npt.NDArray[np.int64],
    samples: npt.NDArray[np.int64],
    function_of: npt.NDArray[np.int64],
) -> dict[int, tuple[tuple[str, int], ...]]:
    """Return the source lines of functions, those with most samples first.

    A sample counts for the line that its innermost Python frame executes, even if native code runs
    on its behalf. ``stack`` and ``samples`` are by chain.
    """
    stacks = frames.stacks
    sampled = np.flatnonzero(samples > 0)
    innermost = stacks.frame_offset[stacks.run_offset[stack[sampled] + 1]] - 1
    frame_indexes, frame_of = np.unique(innermost, return_inverse=True)
    weights = np.bincount(frame_of, weights=samples[sampled], minlength=len(frame_indexes)).astype(
        np.int64
    )
    counts: dict[int, Counter[str]] = {}
    tables = {}
    for frame, weight in zip(frame_indexes.tolist(), weights.tolist(), strict=True):
        number, instruction = int(stacks.code[frame]), int(stacks.instruction[frame])
        code = frames.codes[number]
        if number not in tables:
            tables[number] = code.lines()
        line = tables[number].line_at(instruction)
        if line is not None:
            of_function = counts.setdefault(int(function_of[number]), Counter())
            of_function[f"{code.file}:{line}"] += weight
    return {
        function: tuple(lines.most_common(_LINES_PER_FUNCTION))
        for function, lines in counts.items()
    }
