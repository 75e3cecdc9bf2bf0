"""Options of `stallscope bench gate` from the command line."""

import random
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from harness.bench.gate.placement import MIN_BUILDS
from harness.bench.plan.bench_file import read_bench_file
from harness.bench.plan.commands import (
    BenchCommand,
    BenchPlan,
    ServerPlan,
    benchmark_name,
    command_from_words,
    plan_of_file,
    words_of,
)
from harness.bench.run.measurement import RunLimits
from stallscope.errors import UsageError

_MAX_SEED = 2**31
_RULE = re.compile(r"(slower|cpu|memory):(\d{1,3}(?:\.\d{1,6})?)%")
BUILD = "{build}"
SUFFIXES = (".json", ".html")


class GateMetric(StrEnum):
    """The quantity that a gate compares."""

    WALL = "slower"
    CPU = "cpu"  # user and system time together: the kernel splits their sum by ticks
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Rule:
    """A quantity and the growth of it, in percent, that fails a gate."""

    metric: GateMetric
    percent: float

    def describe(self) -> str:
        """Return the rule as the command line spells it."""
        return f"{self.metric}:{self.percent:g}%"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """The two sides, the rule, and the size of the measurement."""

    base: BenchCommand
    head: BenchCommand
    servers: tuple[ServerPlan, ...]
    rule: Rule
    blocks: int  # of a stage
    builds: int  # 1: the commands as they are
    warmup: int
    seed: int
    limits: RunLimits
    strict: bool
    as_json: bool
    outputs: tuple[Path, ...] = ()

    def sides(self) -> tuple[tuple[BenchCommand, BenchCommand], ...]:
        """Return base and head of every build."""
        if self.builds == 1:
            return ((self.base, self.head),)
        return tuple(
            (_of_build(self.base, number), _of_build(self.head, number))
            for number in range(1, self.builds + 1)
        )


def parse_rule(text: str) -> Rule:
    """Return the rule of a text such as "slower:2%"; UsageError otherwise."""
    match = _RULE.fullmatch(text.replace(" ", ""))
    if match is None or not float(match[2]) > 0:
        raise UsageError(
            f"--fail-if {text}: unknown rule", "write slower:2%, cpu:2% (CPU time) or memory:5%"
        )
    return Rule(GateMetric(match[1]), float(match[2]))


def gate_options(values: dict[str, Any]) -> GateOptions:
    """Return the options; UsageError for a wrong rule, an unknown entry or a missing {build}."""
    file: Path | None = values["file"]
    plan = BenchPlan(()) if file is None else plan_of_file(read_bench_file(file), file)
    base, head = (_side(values[side], plan, side) for side in ("base", "head"))
    builds = values["builds"]
    if builds > 1:
        _check_builds(builds, base, head)
    used = {base.server, head.server}
    return GateOptions(
        base=replace(base, name="Base"),
        head=replace(head, name="Head"),
        servers=tuple(server for server in plan.servers if server.name in used),
        rule=parse_rule(values["fail_if"]),
        blocks=values["blocks"],
        builds=builds,
        warmup=values["warmup"],
        seed=random.SystemRandom().randrange(_MAX_SEED)
        if values["seed"] is None
        else values["seed"],
        limits=RunLimits(time_limit_s=values["timeout_s"], offers_ignoring=False),
        strict=values["strict"],
        as_json=values["as_json"],
        outputs=values.get("outputs", ()),
    )


def _side(text: str, plan: BenchPlan, side: str) -> BenchCommand:
    """Return the entry of bench.toml with this name, or else the command line."""
    by_name = {command.name: command for command in plan.commands}
    if text.strip() and benchmark_name(text) in by_name:
        return by_name[benchmark_name(text)]
    return command_from_words(words_of(text, f"--{side}"))


def _check_builds(builds: int, base: BenchCommand, head: BenchCommand) -> None:
    if builds < MIN_BUILDS:
        raise UsageError(
            f"--builds {builds}: fewer than {MIN_BUILDS} builds cannot reach the nominal rate",
            f"use --builds {MIN_BUILDS} or more",
        )
    for side, command in (("base", base), ("head", head)):
        if not any(BUILD in word for word in command.arguments):
            raise UsageError(
                f"--builds needs {BUILD} in --{side}, which is replaced by 1 to {builds}",
                f"for example: --{side} './{side}-{BUILD}/prog'",
            )


def _of_build(command: BenchCommand, number: int) -> BenchCommand:
    words = tuple(word.replace(BUILD, str(number)) for word in command.arguments)
    return replace(command, arguments=words, name=f"{command.name}/build={number}")
