"""Functions named on demand."""

import numpy as np

from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.symbols.function_table import FixedNames, FunctionTable


def test_lines_of_native_functions_remain_when_lines_of_others_are_added() -> None:
    fixed = (Function("a", "", FunctionKind.USER), Function("b", "", FunctionKind.PYTHON))
    table = FunctionTable([(FixedNames(fixed), np.arange(2, dtype=np.uint64))])
    table = table.with_lines({0: (("a.c:1", 3),)}).extended(()).with_lines({1: (("b.py:1", 2),)})
    assert [function.lines for function in table] == [(("a.c:1", 3),), (("b.py:1", 2),)]
