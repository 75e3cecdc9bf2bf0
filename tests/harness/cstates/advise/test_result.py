"""The document of `cstates advise`."""

from dataclasses import replace

from cstates.advice.suggestions import advise
from cstates.idle.length_counts import LengthCounts
from harness.cstates.advise.result import advise_result
from harness.cstates.advise.text import advise_lines
from tests.cstates.advice.runs import row, run


def test_advice_is_restricted_to_the_commands_affinity() -> None:
    lengths = LengthCounts()
    lengths.record(500_000)
    both = {(0, 2): lengths.histogram(), (1, 2): lengths.histogram()}
    idle = replace(run(row(2, "ipi", 400, 210.0)), lengths=both)
    assert advise(idle).suggestions[0].cpus == (0, 1, 2, 3)
    assert advise(replace(idle, command_cpus=(0, 2))).suggestions[0].cpus == (0, 2)
    assert advise(replace(idle, command_cpus=(7,))).suggestions[0].cpus == (0, 1, 2, 3)
    alone = replace(idle, command_cpus=(0,), siblings={0: (0,)})
    assert "1. On CPU 0 keep" in "\n".join(advise_lines(advise_result(advise(alone)), 10_000))
    assert "1. On CPUs 0-3 keep" in "\n".join(advise_lines(advise_result(advise(idle)), 10_000))
