"""The measurement: shuffled rounds, failures, hangs, printed benchmark lines."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.bench.plan.commands import BenchCommand, command_from_words
from harness.bench.run.measurement import (
    CommandRunner,
    Measured,
    MeasuredRun,
    Rounds,
    RunLimits,
    is_stable,
    measure,
)
from stallscope.errors import TargetError
from stallscope.launcher import Launcher

NO_LIMITS = RunLimits()
ROUNDS = Rounds(runs=4, warmup=0, max_runs=4, seed=7)


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    with Launcher() as started:
        yield started


def shell(script: str) -> BenchCommand:
    return command_from_words(["/bin/sh", "-c", script])


def measured_runs(
    launcher: Launcher, *commands: BenchCommand, limits: RunLimits = NO_LIMITS
) -> Measured:
    measured = Measured()
    runner = CommandRunner(launcher, commands, limits)
    measure(runner, len(commands), ROUNDS, measured, [].append)
    return measured


def test_each_round_runs_every_command_once_in_an_order_of_the_seed(launcher: Launcher) -> None:
    true, shorter = command_from_words(["true"]), command_from_words(["/bin/sh", "-c", ":"])
    first = measured_runs(launcher, true, shorter)
    rounds = [tuple(first.order[at : at + 2]) for at in range(0, 8, 2)]
    assert {tuple(sorted(order)) for order in rounds} == {(0, 1)}
    assert len(set(rounds)) == 2, "the order differs between rounds"
    assert measured_runs(launcher, true, shorter).order == first.order


def test_a_failure_stops_with_the_last_line_of_output(launcher: Launcher) -> None:
    with pytest.raises(TargetError, match="exit status 3: disk is gone"):
        measured_runs(launcher, shell("echo disk is gone >&2; exit 3"))
    measured = measured_runs(launcher, shell("exit 3"), limits=RunLimits(ignore_failure=True))
    assert measured.of(0) == []
    assert len(measured.runs) == 4


def test_a_hang_is_ended_by_the_time_limit(launcher: Launcher) -> None:
    with pytest.raises(TargetError, match=r"ran longer than 0\.05 s"):
        measured_runs(launcher, shell("sleep 98 & sleep 98"), limits=RunLimits(time_limit_s=0.05))


def test_printed_lines_are_kept_and_junk_is_named(launcher: Launcher) -> None:
    script = "echo 'BenchmarkGet 100 12 ns/op 99 p99-ns'; echo 'BenchmarkPut x 3 ns/op'; echo text"
    measured = measured_runs(launcher, shell(script))
    assert measured.printed[0].lines == ("BenchmarkGet 100 12 ns/op 99 p99-ns",)
    assert measured.junk == {0: "BenchmarkPut x 3 ns/op"}


def test_processes_left_behind_are_counted(launcher: Launcher) -> None:
    assert measured_runs(launcher, shell("sleep 98 & exit 0")).leftovers == {0: 4}


def test_a_missing_program_is_an_error_before_any_run(launcher: Launcher, tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="there is no program"):
        CommandRunner(launcher, [command_from_words([str(tmp_path / "x")])], RunLimits())


def test_runs_are_stable_if_the_interval_of_the_median_is_narrow() -> None:
    def runs(*times: int) -> Measured:
        fields = MeasuredRun.__struct_fields__[2:10]
        return Measured(
            [
                MeasuredRun(command=0, begin_ns=0, **{**dict.fromkeys(fields, 0), "wall_ns": time})
                for time in times
            ]
        )

    assert is_stable(runs(*[1000, 1001] * 5), 1)
    assert not is_stable(runs(*[1000, 1100] * 5), 1)
    assert not is_stable(runs(1000, 1000), 1), "too few runs for an interval"
    assert not is_stable(runs(), 1)
