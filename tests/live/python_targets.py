"""Interpreters that run a known program, and its profile."""

import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from harness.profile.analysis import Analysis, analyze
from harness.profile.options import AnalysisOptions
from stallscope.recordings import open_recording
from topdown.stacks.profile import Function, FunctionKind

SYSTEM = "/usr/bin/python3"
PROGRAM = Path(__file__).parent / "targets" / "python_program.py"
DEPTH = 300
ODD = "exec'd\u202e\ufffd"
LAMBDA = "Odd.naïve.<locals>.<lambda>"
# Possible calls: caller, callee, and whether C code is between them.
CALLS = {
    ("<module>", "main", False),
    ("main", "spin", False),
    ("main", "summing", False),
    ("main", "sorting", False),
    ("main", "deep", False),
    ("main", "Odd.naïve", False),
    ("main", ODD, False),
    ("main", "up_and_down", False),
    ("summing", "numbers", True),
    ("numbers", "square", False),
    ("sorting", "key", True),
    ("key", "square", False),
    ("deep", "deep", False),
    ("deep", "square", False),
    ("Odd.naïve", LAMBDA, True),
    (ODD, "square", False),
    ("up_and_down", "up", False),
    ("up_and_down", "down", False),
    ("up", "down", False),
    ("down", "up", False),
}
OUTERMOST = {"<module>", "compressing"}


@dataclass(frozen=True, slots=True)
class Interpreter:
    """How an interpreter is started."""

    name: str
    command: tuple[str, ...]
    environment: dict[str, str]

    def start(self, *words: str, program: Path = PROGRAM) -> subprocess.Popen[str]:
        """Return the program, running and ready."""
        process = subprocess.Popen(
            [*self.command, str(program), *words],
            stdout=subprocess.PIPE,
            text=True,
            env=self.environment,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process


@dataclass(frozen=True, slots=True)
class Chain:
    """A call chain, outermost first, and its number of samples."""

    functions: tuple[Function, ...]
    samples: int

    def python(self) -> list[str]:
        """Return the names of its Python functions."""
        return [
            function.name for function in self.functions if function.kind == FunctionKind.PYTHON
        ]

    def calls(self) -> Iterator[tuple[str, str, bool]]:
        """Yield calls between Python functions as caller, callee, and whether C code is between them."""
        places = [
            index
            for index, function in enumerate(self.functions)
            if function.kind == FunctionKind.PYTHON
        ]
        for outer, inner in pairwise(places):
            yield self.functions[outer].name, self.functions[inner].name, inner - outer > 1


def profile_of(directory: Path, *, lines: int = 0) -> Analysis:
    return analyze(open_recording(directory), AnalysisOptions(lines=lines))


def chains_of(analysis: Analysis) -> list[Chain]:
    profile = analysis.profile
    parents, functions = profile.node_parent.tolist(), profile.node_function.tolist()
    chains = []
    rows = zip(profile.weight_node.tolist(), profile.weight_samples.tolist(), strict=True)
    for leaf, samples in rows:
        node, chain = leaf, []
        while node > 0:
            chain.append(profile.functions[functions[node]])
            node = parents[node]
        chains.append(Chain(tuple(reversed(chain)), samples))
    return chains


def impossible_calls(
    chains: list[Chain], *, evaluation_apart: bool = False
) -> Counter[tuple[str, str, bool]]:
    """Return the number of samples by calls that the program does not make.

    ``evaluation_apart``: every Python call is also a C call.
    """
    possible = CALLS | ({(*call[:2], True) for call in CALLS} if evaluation_apart else set())
    wrong: Counter[tuple[str, str, bool]] = Counter()
    for chain in chains:
        python = chain.python()
        if python and python[0] not in OUTERMOST:
            wrong["", python[0], False] += chain.samples
        for call in set(chain.calls()) - possible:
            wrong[call] += chain.samples
    return wrong


def share_below(chains: list[Chain], *callers: str) -> float:
    """Return the share of samples below ``callers[0]``, of all below ``main``, that run there."""
    of_main = [chain for chain in chains if "main" in chain.python()]
    total = sum(chain.samples for chain in of_main)
    below = sum(chain.samples for chain in of_main if set(callers) <= set(chain.python()))
    return below / total
