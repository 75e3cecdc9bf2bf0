"""The result: medians over the runs of a command."""

from harness.bench.plan.commands import command_from_words
from harness.bench.run.measurement import Measured, MeasuredRun
from harness.bench.run.result import BenchRunResult, CommandCounters, command_runs
from stallscope.documents import decode, encode

TIMES_NS = (10_000_000, 30_000_000, 20_000_000)


def bench_result() -> BenchRunResult:
    fields = dict.fromkeys(MeasuredRun.__struct_fields__[1:10], 1)
    runs = [
        MeasuredRun(command=0, sleep_entries=(4,), **{**fields, "wall_ns": time})
        for time in TIMES_NS
    ]
    command = command_from_words(["<b>"])
    counters = CommandCounters(unavailable="no counters here")
    return BenchRunResult(
        source="measured",
        complete=True,
        seed=3,
        warmup=1,
        rounds=3,
        stable=False,
        sleep_states=("C6",),
        sleep_states_missing="",
        commands=(command_runs(0, command, Measured(runs), ("C6",), counters),),
        runs=tuple(runs),
        clock_resolution_ns=1,
        warnings=("noisy <i>",),
    )


def test_medians_are_over_the_runs_of_the_command() -> None:
    command = bench_result().commands[0]
    assert command.wall_ns.median == 20_000_000
    assert command.cpu_us.median == 2
    assert command.sleep_entries["C6"].median == 4


def test_the_document_is_read_back() -> None:
    assert decode(encode(bench_result()), BenchRunResult, "test") == bench_result()
