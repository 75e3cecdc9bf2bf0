"""Panel, text and picture of recorded idle intervals, also with hostile names."""

import json
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from cstates.advice.sleep_costs import explain
from cstates.idle.intervals import IPI, IdleInterval
from cstates.idle.summary import IdleSummary
from harness.cstates.explain.result import explain_result
from harness.cstates.explain.text import explain_lines
from harness.cstates.record.analysis import idle_run
from harness.cstates.record.histogram import octaves
from harness.cstates.record.panel import idle_panel
from harness.cstates.record.picture import lengths_picture
from harness.cstates.record.result import IdleResult
from harness.cstates.record.text import lines
from harness.cstates.record.what_if import what_if_panel
from stallscope.documents import decode
from stallscope.errors import UnableError
from tests.harness.cstates.record.documents import idle_document, machine_document, state_document

HOSTILE = "<script>alert(1)</script>\x1b[31m"


def recording_of(count: int, name: str = "worker") -> IdleResult:
    """Return a recording of 100 us intervals in C6, ended by IPIs in 150 us."""
    summary = IdleSummary((None, 600_000))
    for number in range(count):
        summary.add(
            IdleInterval(2, number, 1, 100_000, 10**9, 10**9, IPI, 140_000, 150_000, 9, name)
        )
    activity = {"entries": count, "above_share": 1.0, "below_share": 0.0}
    states = [
        state_document(0, "C1", 2, 2) | {"over_interval": activity},
        state_document(1, "C6", 170, 600) | {"over_interval": activity},
    ]
    document = idle_document(
        summary,
        machine_document(2, *states),
        command=["server", name],
        overhead={"events": 5 * count, "reader_cpu_s": 0.01},
    )
    return decode(json.dumps(document), IdleResult, "idle.json")


def test_measured_and_declared_latency_are_in_the_same_row() -> None:
    text = "\n".join(lines(recording_of(100), 100))
    row = next(line for line in text.splitlines() if "ipi" in line).split()
    assert row[:4] == ["C6", "ipi", "100", "100"]
    assert abs(float(row[4]) - 140) < 2
    assert abs(float(row[5]) - 150) < 2
    assert row[-1] == "170"


def test_the_page_has_costs_and_advice() -> None:
    page = idle_panel(recording_of(100))
    for text in ("Measured against declared", "target residency 600 us", "Advice", "--states C1"):
        assert text in page


def test_the_simulation_uses_the_recorded_states_and_intervals(tmp_path: Path) -> None:
    head = "cpu,t_entry_ns,state,idle_ns,next_hrtimer_ns,next_nontick_hrtimer_ns,wake"
    rows = [f"2,{number * 10**6},1,100000,900000,900000,ipi" for number in range(50)]
    (tmp_path / "idle.csv").write_text("\n".join([head, *rows]) + "\n")
    page = what_if_panel(tmp_path, recording_of(50))
    assert "50 idle intervals" in page
    assert ">C6</th>" in page
    assert what_if_panel(tmp_path, structs.replace(recording_of(50), intervals_kept=0)) == ""
    # An invalid table, here with decreasing latencies, gives no panel.
    recording = recording_of(50)
    (cpu,) = recording.machine.cpus
    first, last = cpu.states
    states = (
        structs.replace(first, target_residency_us=last.target_residency_us),
        structs.replace(last, target_residency_us=first.target_residency_us),
    )
    machine = structs.replace(recording.machine, cpus=(structs.replace(cpu, states=states),))
    assert what_if_panel(tmp_path, structs.replace(recording, machine=machine)) == ""


def test_names_of_processes_and_commands_are_escaped() -> None:
    recording = recording_of(100, HOSTILE)
    run = idle_run(recording)
    page = idle_panel(recording)
    texts = [*lines(recording, 100), *explain_lines(explain_result(run, explain(run)), 100)]
    assert "<script" not in page
    assert not any("\x1b" in text for text in [page, *texts])


def test_lengths_are_counted_by_powers_of_two() -> None:
    lengths = idle_run(recording_of(7)).lengths_of(1)
    assert lengths is not None
    counts = octaves(lengths)
    assert np.flatnonzero(counts).tolist() == [6]  # 64 to 128 us
    assert counts.sum() == 7


def test_the_picture_has_a_histogram_per_traced_state() -> None:
    picture = lengths_picture(recording_of(7, HOSTILE), "svg").decode()
    assert "C6" in picture
    assert "length of the interval" in picture
    assert "<script" not in picture


def test_a_picture_without_intervals_is_rejected() -> None:
    with pytest.raises(UnableError, match="no idle interval was traced"):
        lengths_picture(recording_of(0), "svg")
