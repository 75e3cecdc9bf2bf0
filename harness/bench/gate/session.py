"""A run of `stallscope bench gate`: servers, blocks, decision, output, exit code."""

from collections.abc import Sequence
from pathlib import Path

from harness.bench.gate.blocks import Block
from harness.bench.gate.decision import (
    Decision,
    GateVerdict,
    decide_builds,
    percent_threshold,
    run_stages,
)
from harness.bench.gate.measurement import BlockMeasurement
from harness.bench.gate.options import GateOptions
from harness.bench.gate.panel import gate_page
from harness.bench.gate.placement import placement_of
from harness.bench.gate.result import GateResult, gate_result
from harness.bench.gate.text import lines
from harness.bench.plan.commands import BenchCommand
from harness.bench.plan.servers import running_servers, with_ports
from harness.bench.run.conditions import RunConditions, machine_warnings, settings_warnings
from harness.bench.run.measurement import CommandRunner
from harness.cli.outputs import write_whole
from harness.cli.result_output import print_result
from harness.cli.terminal import LiveLine
from harness.recordings.settings_text import settings_now, settings_since
from stallscope.documents import encode
from stallscope.errors import ExitCode
from stallscope.launcher import Launcher, resolve_program

UNDECIDED_CODE = 3  # with --strict


def run_gate(options: GateOptions) -> int:
    """Return the exit code after the verdict is printed: 1 for a regression."""
    result = gate(options)
    for path in options.outputs:
        write_whole(path, [encode(result) + "\n" if path.suffix == ".json" else gate_page(result)])
    print_result(result, lines, as_json=options.as_json)
    verdict = GateVerdict(result.verdict)
    if verdict is GateVerdict.REGRESSION:
        return int(ExitCode.FINDING)
    if not result.complete:
        return int(ExitCode.INTERRUPTED)
    if verdict is GateVerdict.UNDECIDED and options.strict:
        return UNDECIDED_CODE
    return int(ExitCode.DONE)


def gate(options: GateOptions) -> GateResult:
    """Return the result; TargetError if a command fails, KeyboardInterrupt without a block."""
    live = LiveLine()
    before, settings = RunConditions.now(), settings_now()
    sides = [command for pair in options.sides() for command in pair]
    with running_servers(options.servers) as ports, Launcher() as launcher:
        commands = with_ports(sides, ports)
        runner = CommandRunner(launcher, commands, options.limits)
        measurement = BlockMeasurement(
            runner,
            options,
            lambda number: live.show("gate: blocks", done=number, whole=2 * options.blocks),
        )
        try:
            measurement.warm_up()
            decision, blocks = _decide(measurement, options)
        finally:
            live.clear()
    if not blocks:
        raise KeyboardInterrupt
    warnings = [
        *machine_warnings(before, RunConditions.now()),
        *settings_warnings(settings_since(settings)),
    ]
    return gate_result(
        options,
        decision,
        blocks,
        placement_of(_program(options.base), _program(options.head), options.builds),
        complete=not measurement.interrupted,
        warnings=warnings,
    )


def _decide(
    measurement: BlockMeasurement, options: GateOptions
) -> tuple[Decision, Sequence[Block]]:
    threshold = percent_threshold(options.rule.percent)
    if options.builds == 1:
        return run_stages(measurement.blocks, options.blocks, threshold)
    blocks = measurement.blocks(max(2 * options.blocks, options.builds))
    return decide_builds(blocks, threshold), blocks


def _program(command: BenchCommand) -> Path:
    """Return the file that differs between builds; an interpreter's is that of its first file."""
    arguments = resolve_program(command.arguments, command.directory)
    path = Path(command.directory or ".", arguments[0])
    for word in arguments[1:]:
        if "/" in word and Path(command.directory or ".", word).is_file():
            return Path(command.directory or ".", word)
    return path
