"""`stallscope lab kernels` from the command line."""

import json

import pytest
from click.testing import CliRunner

from harness.cli.command_line import group
from harness.labs.kernels import sources as kernels_sources
from harness.labs.kernels.diagnosis import SlotSources
from harness.labs.kernels.known_kernels import KnownKernel
from stallscope.errors import UnableError
from tests.harness.labs.kernels.measurements import measurement
from topdown.slots.measurement import Measurement


def test_the_gate_fails_if_no_program_could_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def diagnose(_: KnownKernel) -> Measurement:
        raise UnableError("no valgrind", "install it")

    monkeypatch.setattr(
        kernels_sources, "available_sources", lambda: SlotSources(modelled=diagnose)
    )
    words = ["lab", "kernels", "--kernel", "divide-chain", "--gate"]
    outcome = CliRunner().invoke(group, words, standalone_mode=False)
    assert outcome.return_value == 1
    assert "no valgrind; install it" in outcome.output


@pytest.mark.parametrize(("answer", "status"), [("dram_bound", 0), ("l2_bound", 1)])
def test_the_gate_fails_if_an_answer_is_wrong(
    monkeypatch: pytest.MonkeyPatch, answer: str, status: int
) -> None:
    sources = SlotSources(modelled=lambda _: measurement("backend_bound", answer))
    monkeypatch.setattr(kernels_sources, "available_sources", lambda: sources)
    words = ["lab", "kernels", "--kernel", "pointer-chase-dram"]
    gated = CliRunner().invoke(group, [*words, "--gate"], standalone_mode=False)
    assert gated.return_value == status
    plain = CliRunner().invoke(group, words, standalone_mode=False)
    assert plain.return_value == 0
    assert "sleep states: " in plain.stdout


def test_finished_rows_are_printed_after_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def until_interrupted(kernel: KnownKernel) -> Measurement:
        if kernel.name != "independent-adds":
            raise KeyboardInterrupt
        return measurement(largest="retiring")

    monkeypatch.setattr(
        kernels_sources, "available_sources", lambda: SlotSources(modelled=until_interrupted)
    )
    words = ["lab", "kernels", "--json", "--kernel", "independent-adds", "--kernel", "divide-chain"]
    outcome = CliRunner().invoke(group, words)
    assert outcome.exit_code != 0
    (row,) = json.loads(outcome.stdout.splitlines()[0])["rows"]
    assert (row["kernel"], row["verdict"]) == ("independent-adds", "right")
