"""Options of a gate: rules, entries of bench.toml, builds."""

from pathlib import Path
from typing import Any

import pytest

from harness.bench.gate.options import GateMetric, Rule, gate_options, parse_rule
from stallscope.errors import UsageError

VALUES: dict[str, Any] = {
    "base": "true", "head": "true x", "fail_if": "slower:2%", "file": None, "blocks": 20,
    "builds": 1, "warmup": 1, "seed": 4, "timeout_s": None, "strict": False, "as_json": False,
}  # fmt: skip


def test_a_rule_has_a_metric_and_a_percentage() -> None:
    assert parse_rule("slower:2%") == Rule(GateMetric.WALL, 2.0)
    assert parse_rule("memory: 0.5 %").describe() == "memory:0.5%"
    for text in ("2%", "slower:0%", "slower:-1%", "slower:2", "faster:2%", "slower:nan%"):
        with pytest.raises(UsageError, match="unknown rule"):
            parse_rule(text)


def test_a_side_is_an_entry_of_the_file_or_a_command(tmp_path: Path) -> None:
    file = tmp_path / "bench.toml"
    file.write_text('[commands.before]\nrun = "old x"\n')
    options = gate_options({**VALUES, "file": file, "base": "before", "head": "./new y"})
    assert options.base.arguments == ("old", "x")
    assert options.head.arguments == ("./new", "y")


def test_builds_replace_their_number() -> None:
    options = gate_options({**VALUES, "base": "a-{build}/p", "head": "b-{build}/p", "builds": 6})
    sides = options.sides()
    assert len(sides) == 6
    assert sides[1][0].arguments == ("a-2/p",)
    assert sides[5][1].arguments == ("b-6/p",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"builds": 3}, "fewer than 6 builds"),
        ({"builds": 8}, "{build}"),
        ({"base": ""}, "the command is empty"),
    ],
)
def test_wrong_values_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        gate_options({**VALUES, **changes})
    assert message in raised.value.message
