"""The process of the engine."""

import os
import signal
from pathlib import Path

from ioprobe.engine import process as engine_process
from ioprobe.engine.engine import (
    EngineEnd,
    Point,
    PointProgress,
    PointResult,
    measure_points,
)
from ioprobe.target.simulated import SimulatedDisk
from tests.ioprobe.engine_target import Target


def engine_of(pid: int) -> int:
    """Return the pid of the engine that a process started last."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    engines = [
        child
        for child in children
        if Path(f"/proc/{child}/comm").read_text() == "stallscope-ioqu\n"
    ]
    return int(engines[-1])


def test_an_engine_that_ignores_ctrl_c_is_killed(monkeypatch) -> None:
    monkeypatch.setattr(engine_process, "INTERRUPT_TIMEOUT_S", 0.2)
    events, engine = [], 0
    target = Target(simulated=SimulatedDisk(1, 1000))
    for event in measure_points(target, [Point("a", depth=64, duration_s=80_000)]):
        events.append(event)
        if isinstance(event, PointProgress) and not engine:
            engine = engine_of(os.getpid())
            os.kill(engine, signal.SIGSTOP)
            os.kill(os.getpid(), signal.SIGINT)
    assert events[-1] == EngineEnd(interrupted=True)
    assert not any(isinstance(event, PointResult) for event in events)
    assert not Path(f"/proc/{engine}").exists()
