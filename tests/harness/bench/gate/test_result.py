"""The result of a gate: noise floor, whether the rate held, power; its text."""

from typing import Any

from benchmarks.gate_noise import NORMAL, NoisyMachine
from harness.bench.gate.blocks import Block
from harness.bench.gate.decision import decide_builds, run_stages
from harness.bench.gate.options import gate_options
from harness.bench.gate.placement import Placement
from harness.bench.gate.result import GateResult, gate_result, two_sided_p
from harness.bench.gate.text import lines
from stallscope.documents import decode, encode
from tests.harness.bench.gate.test_options import VALUES


def result_of(blocks: list[Block], **changes: Any) -> GateResult:
    options = gate_options(VALUES)
    decision, measured = run_stages(lambda count: blocks[:count], options.blocks, 0.02)
    placement = Placement(covered=False, text="not covered: test")
    settings = {"complete": True, "warnings": ("noisy",), **changes}
    return gate_result(options, decision, measured, placement, **settings)


def test_the_noise_floor_and_the_spread_come_from_the_control() -> None:
    result = result_of(list(NoisyMachine(NORMAL, 2).blocks(0.0)(20)))
    assert result.rate_held
    assert result.noise_floor.low is not None
    assert result.noise_floor.high is not None
    assert result.noise_floor.low < 0 < result.noise_floor.high
    assert result.run_spread_percent is not None
    assert 0.5 < result.run_spread_percent < 5


def test_a_control_that_differs_is_reported() -> None:
    blocks = [Block(base=1.0, base_again=1.05 + number / 1000, head=1.0) for number in range(20)]
    result = result_of(blocks)
    assert not result.rate_held
    assert "the rate is not sure" in "\n".join(lines(result, 200))


def test_too_few_blocks_have_no_power_and_no_bounds() -> None:
    blocks = [Block(base=1.0, base_again=1.0, head=1.1)] * 3
    result = result_of(blocks, complete=False)
    assert result.verdict == "undecided"
    assert result.power is None
    assert result.change.low is None
    text = "\n".join(lines(result, 100))
    assert "undecided (measured, slower:2%, interrupted)" in text
    assert "at least 6 blocks are needed" in text


def test_the_text_names_placement_and_warnings_and_the_document_is_read_back() -> None:
    result = result_of(list(NoisyMachine(NORMAL, 2).blocks(0.05)(20)))
    text = "\n".join(lines(result, 100))
    assert text.startswith("regression")
    assert "not covered: test" in text
    assert "warning: noisy" in text
    assert decode(encode(result), GateResult, "test") == result


def test_a_two_sided_p_value_is_at_most_1() -> None:
    assert two_sided_p([]) == 1.0
    assert two_sided_p([1.0, 2, 3, 4, 5, 6, 7, 8]) < 0.01


def test_several_builds_have_their_own_power() -> None:
    blocks = [
        Block(base=1.0, base_again=1.0, head=1.0 + shift / 1000, build=build)
        for build, shift in enumerate((1, -1, 2, -2, 3, -3, 1, -1))
    ]
    options = gate_options(VALUES | {"builds": 8, "base": "a-{build}", "head": "b-{build}"})
    placement = Placement(covered=True, text="covered")
    result = gate_result(
        options, decide_builds(blocks, 0.02), blocks, placement, complete=True, warnings=()
    )
    assert result.power is not None
    assert result.power > 0.9
    assert result.builds_needed == 6
    assert "with 8 builds; 80 % needs 6" in "\n".join(lines(result, 200))
