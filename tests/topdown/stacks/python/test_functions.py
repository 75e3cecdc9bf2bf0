"""Functions and source lines from Python code objects."""

from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.python.frames import PythonCode, PythonFrames
from topdown.stacks.python.functions import python_functions


def frames(*codes: PythonCode) -> PythonFrames:
    return PythonFrames(codes, *[None] * 9)  # type: ignore[arg-type]


def test_equal_code_objects_are_one_function() -> None:
    codes = (
        PythonCode("f", "a.py", 1, b""),
        PythonCode("f", "a.py", 9, b""),
        PythonCode("f", "a.py", 1, b"other bytes"),
    )
    functions, numbers = python_functions(frames(*codes), 100)
    assert functions == (Function("f", "a.py", FunctionKind.PYTHON),) * 2
    assert numbers.tolist() == [100, 101, 100]
