"""The diagnosis of known kernels without a PMU, on the real operating system kernel."""

import subprocess
from pathlib import Path

import pytest

from stallscope.collector import CollectorOptions
from stallscope.programs import program
from topdown.slots.measurement import Kind
from topdown.slots.without_pmu.instruction_kinds import InstructionKind
from topdown.slots.without_pmu.observation import KernelObservation, observe

pytestmark = pytest.mark.live


def observed(directory: Path, kernel: str) -> KernelObservation:
    command = [program("stallscope-kernels"), kernel, "--duration", "30"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            options = CollectorOptions(directory / "run", pids=(process.pid,), duration_s=0.6)
            return observe(options)
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("kernel", "kind"),
    [("divide-chain", InstructionKind.DIVISION), ("pointer-chase-l2", InstructionKind.LOAD)],
)
def test_samples_follow_the_instruction_that_takes_the_time(
    tmp_path: Path, kernel: str, kind: InstructionKind
) -> None:
    observation = observed(tmp_path, kernel)
    assert observation.work is not None
    user = observation.work.user
    assert user.kinds[0][0] is kind
    assert user.kinds[0][1] > 0.6 * user.samples
    assert observation.finding is None
    measurement = observation.measurement()
    assert measurement.kind is Kind.UNAVAILABLE
    assert measurement.nodes == ()


@pytest.mark.parametrize(
    ("kernel", "answer"),
    [("page-faults", "kernel: page faults"), ("system-calls", "kernel: system calls")],
)
def test_kernel_activity_is_reported(tmp_path: Path, kernel: str, answer: str) -> None:
    observation = observed(tmp_path, kernel)
    assert observation.finding is not None
    assert observation.finding.answer == answer


def test_a_command_is_observed_to_its_end(tmp_path: Path) -> None:
    words = (str(program("stallscope-kernels")), "dependent-chain", "--duration", "0.4")
    with (tmp_path / "output").open("w") as output:
        observation = observe(
            CollectorOptions(tmp_path / "run", command=words), command_output=output
        )
    assert observation.outcome.exit_code == 0
    assert observation.counters.threads >= 1
    assert observation.work is not None
    assert (
        dict(observation.work.user.kinds)[InstructionKind.INTEGER]
        > 0.8 * observation.work.user.samples
    )
