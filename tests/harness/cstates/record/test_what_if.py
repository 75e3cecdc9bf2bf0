"""Other governors with recorded idle intervals."""

from pathlib import Path

from msgspec import structs

from harness.cstates.record.what_if import what_if_panel
from tests.harness.cstates.record.results import recording_of


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
