"""Functions of a profile made of Python code objects, and the lines samples fell on."""

from collections import Counter

import numpy as np
import numpy.typing as npt

from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.python.frames import PythonFrames

_LINES_PER_FUNCTION = 16


def python_functions(
    frames: PythonFrames, first: int
) -> tuple[tuple[Function, ...], npt.NDArray[np.int64]]:
    """Return the functions, numbered from ``first`` on, and the number of each code object's.

    Code of one name, file and first line is one function, however often it was made.
    """
    numbers: dict[tuple[str, str, int], int] = {}
    of_code = [
        first + numbers.setdefault((code.name, code.file, code.first_line), len(numbers))
        for code in frames.codes
    ]
    functions = tuple(Function(name, file, FunctionKind.PYTHON) for name, file, _ in numbers)
    return functions, np.array(of_code, np.int64)


def line_counts(
    frames: PythonFrames,
    stack: npt.NDArray[np.int64],
    samples: npt.NDArray[np.int64],
    function_of: npt.NDArray[np.int64],
) -> dict[int, tuple[tuple[str, int], ...]]:
    """Return the source lines of functions by samples, most first.

    A sample counts for the line that its innermost Python frame executes, also where native code
    works for it. ``stack`` and ``samples`` are by chain.
    """
    stacks = frames.stacks
    chosen = np.flatnonzero(samples > 0)
    innermost = stacks.frame_offset[stacks.run_offset[stack[chosen] + 1]] - 1
    places, at = np.unique(innermost, return_inverse=True)
    weights = np.bincount(at, weights=samples[chosen], minlength=len(places)).astype(np.int64)
    counts: dict[int, Counter[str]] = {}
    tables = {}
    for place, weight in zip(places.tolist(), weights.tolist(), strict=True):
        number, instruction = int(stacks.code[place]), int(stacks.instruction[place])
        code = frames.codes[number]
        if number not in tables:
            tables[number] = code.lines()
        line = tables[number].line_at(instruction)
        if line is not None:
            of_function = counts.setdefault(int(function_of[number]), Counter())
            of_function[f"{code.file}:{line}"] += weight
    return {at: tuple(of.most_common(_LINES_PER_FUNCTION)) for at, of in counts.items()}
