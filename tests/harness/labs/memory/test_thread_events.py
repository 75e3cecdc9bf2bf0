"""The events that each thread of the memory lab counts."""

from pathlib import Path

import pytest

from harness.labs.memory.thread_events import thread_events
from stallscope.errors import UsageError
from stallscope.system_files import Roots


def nowhere(folder: Path) -> Roots:
    """The files of a machine without anything."""
    return Roots(proc=folder / "proc", sys=folder / "sys")


def test_cycles_instructions_and_software_events_are_always_counted(tmp_path: Path) -> None:
    events = thread_events(["cycles,0x40f0", "task-clock"], nowhere(tmp_path))
    assert events[:2] == ("cycles", "instructions")
    assert events[2].startswith("0x40f0=")
    assert events[2].endswith(":0x40f0:0x0")
    assert events[3:] == ("task-clock", "page-faults", "context-switches")


def test_the_preset_stands_for_the_memory_hierarchy(tmp_path: Path) -> None:
    events = thread_events(["memory"], nowhere(tmp_path))
    assert "L1-dcache-loads" in events
    assert "LLC-load-misses" in events
    assert len(set(events)) == len(events)


def test_an_invalid_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        thread_events(["cycles; rm"], nowhere(tmp_path))
