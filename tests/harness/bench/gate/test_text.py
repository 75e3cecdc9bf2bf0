"""The text of a gate begins with the verdict."""

from benchmarks.gate_noise import CALM, NoisyMachine
from harness.bench.gate.text import lines
from tests.harness.bench.gate.test_result import result_of


def test_the_first_line_is_the_verdict_and_long_lines_are_wrapped() -> None:
    texts = list(lines(result_of(list(NoisyMachine(CALM, 1).blocks(0.0)(20))), 60))
    assert texts[0] == "no regression (measured, slower:2%)"
    assert max(map(len, texts)) <= 60
