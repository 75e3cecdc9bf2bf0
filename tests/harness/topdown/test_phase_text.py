"""Counters of measured intervals on the terminal."""

from harness.topdown.phase_counts import EventCount, PhaseCounts, SlotShare
from harness.topdown.phase_text import phase_lines, phase_sentences
from topdown.slots.measurement import Kind

UNAVAILABLE = "no PMU"


def counts(clock_ns: float, ipc: float | None = None) -> PhaseCounts:
    clock = EventCount(event="task-clock", kind=Kind.MEASURED, count=clock_ns)
    missing = EventCount(event="cycles", kind=Kind.UNAVAILABLE, reason=UNAVAILABLE)
    slots = () if ipc is None else (SlotShare(name="retiring", share=0.25),)
    return PhaseCounts(
        seconds=2.0,
        late_us=1.0,
        events=(clock, missing),
        ipc=ipc,
        slots=slots,
        unavailable="" if ipc else UNAVAILABLE,
    )


def test_text_has_rates_and_the_reason_of_missing_events() -> None:
    named = {"limit 8": counts(1e9), "no limit": counts(2e9)}
    sentences = list(phase_sentences(named))
    assert sentences[0] == "counters of limit 8, per second: task-clock 0.500 CPUs"
    assert sentences[-1] == f"other events are unavailable: {UNAVAILABLE}"
    table = "\n".join(phase_lines(named))
    assert "1.000 CPUs" in table
    assert "cycles" not in table


def test_ipc_and_slots_are_shown_if_they_were_counted() -> None:
    named = {"unstaged": counts(1e9, 0.81), "staged": counts(1e9)}
    table = "\n".join(phase_lines(named))
    assert table.split("IPC")[1].split()[:2] == ["0.81", "n/a"]
    assert "25.0%" in table
    assert "IPC 0.81, retiring 25.0%" in next(phase_sentences(named))


def test_nothing_is_shown_without_counts() -> None:
    assert list(phase_lines({})) == list(phase_sentences({})) == []
