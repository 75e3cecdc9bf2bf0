"""Names of V8's activities in native chains."""

import numpy as np

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.managed.activities import with_activities
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.symbols.function_table import FunctionTable

NAMES = ("main", "v8::internal::Heap::CollectGarbage(int)", "v8::internal::Scavenger::Process()")
TABLE = FunctionTable([]).extended([Function(name, "node", FunctionKind.USER) for name in NAMES])


def named(chains: Chains, functions: FunctionTable, chain: int) -> list[str]:
    part = chains.function[chains.offset[chain] : chains.offset[chain + 1]]
    return [functions[index].name for index in part.tolist()]


def test_the_outermost_function_of_an_activity_gets_its_name_as_caller() -> None:
    chains = Chains(np.array([0, 3, 4]), np.array([0, 1, 2, 0]))
    merged, table = with_activities(chains, TABLE, np.array([True, True]))
    assert named(merged, table, 0) == ["main", "[garbage collection]", NAMES[1], NAMES[2]]
    assert named(merged, table, 1) == ["main"]


def test_chains_of_other_programs_are_unchanged() -> None:
    chains = Chains(np.array([0, 2, 4]), np.array([0, 1, 0, 1]))
    merged, table = with_activities(chains, TABLE, np.array([False, True]))
    assert named(merged, table, 0) == ["main", NAMES[1]]
    assert named(merged, table, 1) == ["main", "[garbage collection]", NAMES[1]]


def test_parsing_and_compiling_are_distinguished() -> None:
    names = ("v8::internal::Compiler::Compile()", "v8::internal::Parser::ParseProgram()")
    table = FunctionTable([]).extended([Function(n, "node", FunctionKind.USER) for n in names])
    merged, table = with_activities(
        Chains(np.array([0, 2]), np.array([0, 1])), table, np.array([True])
    )
    assert named(merged, table, 0) == ["[compiling]", names[0], "[parsing]", names[1]]
