import pytest

from harness.diagnose.spins import spins
from tests.harness.waits.analyses import analysis
from topdown.slots.without_pmu.instruction_kinds import InstructionKind
from topdown.slots.without_pmu.sampled_instructions import HotInstruction, SampledInstructions

# Samples of "code" are in the function work.
TWO = "w-1@1 R(code)0-500\nw-2@2 R(code)0-500"
ONE = "w-1@1 R(code)0-500"


def decoded(pauses: int, others: int) -> SampledInstructions:
    return SampledInstructions(
        kinds=((InstructionKind.PAUSE, pauses), (InstructionKind.INTEGER, others)),
        undetermined=0,
        undecoded=0,
        hottest=(HotInstruction("pause", "work", pauses), HotInstruction("add", "work", others)),
    )


def test_two_threads_that_pause_and_work_spin() -> None:
    (row,) = spins(decoded(60, 40), 100, analysis(TWO, cpu_sample_every=10))
    assert (row.function, row.threads) == ("work", 2)
    assert row.share == pytest.approx(0.6)


def test_one_thread_that_pauses_waits_for_no_lock() -> None:
    assert spins(decoded(60, 40), 100, analysis(ONE, cpu_sample_every=10)) == ()


def test_threads_that_only_pause_poll_for_work() -> None:
    assert spins(decoded(100, 0), 100, analysis(TWO, cpu_sample_every=10)) == ()


def test_few_pauses_are_no_spinning() -> None:
    assert spins(decoded(4, 96), 100, analysis(TWO, cpu_sample_every=10)) == ()
