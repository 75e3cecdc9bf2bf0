"""Native functions that evaluate Python: named ones, and parts of a split loop."""

import numpy as np

from topdown.stacks.folding.call_tree import Chains
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.python.evaluators import EVALUATOR, find_evaluators
from topdown.stacks.symbols.function_table import FunctionTable

PART = "python3+0x1234"


def evaluators(chains: list[list[str]], runs: list[int], samples: int = 100) -> set[str]:
    """Return the names of the evaluators in chains of ``samples`` samples each."""
    names = list(dict.fromkeys(name for chain in chains for name in chain))
    functions = [
        Function(name, "m", FunctionKind.UNKNOWN if "+0x" in name else FunctionKind.USER)
        for name in names
    ]
    indexes = find_evaluators(
        Chains(
            np.append(0, np.cumsum([len(chain) for chain in chains])),
            np.array([names.index(name) for chain in chains for name in chain], np.int64),
        ),
        FunctionTable([]).extended(functions),
        np.array(runs, np.int64),
        np.full(len(chains), samples, np.int64),
    )
    return {names[index] for index in indexes.tolist()}


def test_the_loop_and_its_clones_are_known_by_name() -> None:
    chains = [["main", EVALUATOR], ["main", f"{EVALUATOR}.cold"]]
    assert evaluators(chains, [1, 1]) == {EVALUATOR, f"{EVALUATOR}.cold"}


def test_an_unnamed_part_occurs_once_per_run_of_python_frames() -> None:
    chains = [["main", PART, "call"], ["main", PART, "call", PART]]
    assert evaluators(chains, [1, 2]) == {PART}


def test_a_function_with_a_name_is_never_a_part() -> None:
    assert evaluators([["main", "call"], ["main", "call", "call"]], [1, 2]) == set()


def test_few_samples_prove_nothing() -> None:
    assert evaluators([["main", PART]], [1], samples=5) == set()


def test_chains_of_unknown_runs_do_not_count() -> None:
    assert evaluators([["main", PART]], [-1]) == set()
