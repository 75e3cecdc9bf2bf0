"""The measurement of the memory lab: interruption and progress."""

from harness.labs.memory.measurement import MemoryProgress, measure_memory
from harness.labs.memory.options import MemoryOptions
from harness.labs.memory.plan import LabSection, make_plan
from tests.harness.labs.memory.measurements import GIB, MIB, machine
from tests.harness.labs.memory.program_lines import READING, Script


def test_an_interrupted_lab_keeps_its_readings(script: Script) -> None:
    script(f"cat >/dev/null; echo '{READING}'; kill -INT $$")
    parts = make_plan(machine(), MemoryOptions(quick=True), 200 * MIB)
    steps: list[MemoryProgress] = []
    lab = measure_memory(machine(), parts, limit_bytes=GIB, on_progress=steps.append)
    assert lab.interrupted
    (curve,) = lab.sections
    assert len(curve.readings) == len(steps) == 1
    assert curve.note == "interrupted"
    assert lab.section(LabSection.THREADS).note == "interrupted before it"


def test_progress_reaches_the_end(script: Script) -> None:
    script(f"cat >/dev/null; echo '{READING}'")
    parts = make_plan(machine(), MemoryOptions(quick=True, threads=(1,)), GIB)[:1]
    steps: list[MemoryProgress] = []
    measure_memory(machine(), parts, limit_bytes=GIB, on_progress=steps.append)
    assert 0 < steps[-1].share <= 1
    assert steps[-1].left_s >= 0
