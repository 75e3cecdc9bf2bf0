"""The line that helps if generated code has no names."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from topdown.stacks.managed.hints import runtime_hints
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.symbol_table import SymbolTable
from topdown.stacks.symbols.function_table import FunctionTable, SymbolNames


def hints(
    unnamed: int, *files: bytes, read: tuple[str, ...] = (), reading_off: bool = False
) -> list[str]:
    """Return the messages for a profile with this part of 100 in generated code."""
    functions = [
        Function("[anonymous]+0x10", "[anonymous]", FunctionKind.UNKNOWN),
        Function("main", "/usr/bin/app", FunctionKind.USER),
    ]
    profile: Any = SimpleNamespace(functions=functions)
    rows = [
        SimpleNamespace(index=0, self_value=unnamed),
        SimpleNamespace(index=1, self_value=100 - unnamed),
    ]
    rows.sort(key=lambda row: -row.self_value)
    ranking: Any = SimpleNamespace(value=100, functions=rows)
    warnings = runtime_hints(profile, ranking, files, read, reading_off=reading_off)
    return [warning.message for warning in warnings]


def test_the_remedy_of_the_mapped_runtime_is_named() -> None:
    (message,) = hints(40, b"/opt/dotnet/libcoreclr.so", b"/usr/lib/libc.so.6")
    assert message.startswith("40% of the profile is generated code without names, and dotnet")
    assert message.endswith("names need a start with DOTNET_PerfMapEnabled=1")


def test_a_runtime_that_is_read_needs_no_remedy() -> None:
    assert hints(40, b"/usr/bin/node", read=("v8",)) == []


def test_little_unnamed_code_is_not_reported() -> None:
    assert hints(0, b"/opt/dotnet/libcoreclr.so") == []


def test_a_process_without_known_runtime_has_no_hint() -> None:
    assert hints(40, b"/usr/bin/app") == []


def test_functions_with_names_are_not_named_for_the_hint() -> None:
    class Named(SymbolNames, frozen=True):
        def functions(self, places: Any) -> list[Function]:  # noqa: ARG002
            raise AssertionError("a function was named")

    table = SymbolTable(
        np.zeros(1, np.uint64), np.full(1, 16, np.uint64), np.zeros(1, np.uint32),
        np.full(1, 16, np.uint64), np.zeros(1, np.uint8), np.zeros(1, np.uint32), b"main\n",
    )  # fmt: skip
    functions = FunctionTable([(Named("/usr/bin/app", table), np.zeros(1, np.uint64))])
    profile: Any = SimpleNamespace(functions=functions)
    rows = [SimpleNamespace(index=0, self_value=100)]
    ranking: Any = SimpleNamespace(value=100, functions=rows)
    assert runtime_hints(profile, ranking, [b"/usr/bin/node"], ()) == ()


def test_a_readable_runtime_needs_no_other_start_if_reading_was_off() -> None:
    (message,) = hints(40, b"/usr/bin/node", reading_off=True)
    assert "record again without --python off" in message
    assert "--perf-basic-prof" not in message


def test_an_unreadable_runtime_needs_its_start_also_if_reading_was_off() -> None:
    (message,) = hints(40, b"/opt/dotnet/libcoreclr.so", reading_off=True)
    assert message.endswith("names need a start with DOTNET_PerfMapEnabled=1")
