"""Options of `stallscope bench run` from the command line."""

import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.bench.plan.bench_file import read_bench_file
from harness.bench.plan.commands import (
    BenchPlan,
    command_from_words,
    plan_of_file,
    unique_names,
    words_of,
)
from harness.bench.run.measurement import RunLimits
from harness.cli.outputs import default_directory
from stallscope.errors import UsageError

DEFAULT_RUNS = 10
DEFAULT_WARMUP = 1
MAX_STABLE_RUNS = 200
_MAX_SEED = 2**31


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRunOptions:
    """What is measured, how often, and where the results go."""

    plan: BenchPlan
    runs: int
    warmup: int
    until_stable: bool
    seed: int
    limits: RunLimits
    directory: Path
    force: bool
    as_json: bool

    @property
    def max_runs(self) -> int:
        """Return the largest number of runs of each command."""
        return max(self.runs, MAX_STABLE_RUNS) if self.until_stable else self.runs


def bench_run_options(values: dict[str, Any]) -> BenchRunOptions:
    """Return the options; UsageError if there is no command, or a name is not in the file."""
    plan = _plan(
        values["words"], values["commands"], values["file"], values["only"], quick=values["quick"]
    )
    seed = values["seed"]
    return BenchRunOptions(
        plan=plan,
        runs=values["runs"] or plan.runs or DEFAULT_RUNS,
        warmup=_first_number(values["warmup"], plan.warmup, DEFAULT_WARMUP),
        until_stable=values["until_stable"],
        seed=random.SystemRandom().randrange(_MAX_SEED) if seed is None else seed,
        limits=RunLimits(time_limit_s=values["timeout_s"], ignore_failure=values["ignore_failure"]),
        directory=values["output"] or default_directory("bench"),
        force=values["force"],
        as_json=values["as_json"],
    )


def _first_number(*numbers: int | None) -> int:
    return next(number for number in numbers if number is not None)


def _plan(
    words: tuple[str, ...],
    commands: tuple[str, ...],
    file: Path | None,
    only: tuple[str, ...],
    *,
    quick: bool,
) -> BenchPlan:
    if file is None:
        if only or quick:
            option = "--only" if only else "--quick"
            raise UsageError(f"{option} needs --file", "name the bench.toml with --file")
        lines = [words] if words else []
        lines += [words_of(command, "--command") for command in commands]
        if not lines:
            raise UsageError(
                "there is no command to measure", "name one after --, or a bench.toml with --file"
            )
        plan = BenchPlan(tuple(command_from_words(line) for line in lines))
        unique_names(plan.commands)
        return plan
    if words or commands:
        raise UsageError("--file and a command exclude each other", "add the command to the file")
    return _selected(plan_of_file(read_bench_file(file), file, quick=quick), only)


def _selected(plan: BenchPlan, only: tuple[str, ...]) -> BenchPlan:
    """Return the plan with the commands of these names; all without names."""
    if not only:
        return plan
    from difflib import get_close_matches  # noqa: PLC0415 - rarely needed

    by_name = {command.name: command for command in plan.commands}
    for name in only:
        if name in plan.left_out:
            server = plan.left_out[name]
            raise UsageError(
                f"--only: {name} needs the server {server}, whose program is not installed",
                "install it, or choose another benchmark",
            )
        if name not in by_name:
            near = get_close_matches(name, by_name, n=1)
            known = f"did you mean {near[0]}?" if near else f"known: {', '.join(by_name)}"
            raise UsageError(f"--only: there is no benchmark {name!r}", known)
    commands = tuple(command for command in plan.commands if command.name in only)
    used = {command.server for command in commands}
    servers = tuple(server for server in plan.servers if server.name in used)
    return replace(plan, commands=commands, servers=servers)
