"""Tracepoint format files with known numbers."""

from pathlib import Path

from tests.stallscope.tracing.event_formats import Formats, write_formats

IDLE, SWITCH, START, IRQ, ISSUE, COMPLETE = 11, 12, 13, 14, 15, 16

FORMATS: Formats = {
    "power/cpu_idle": (IDLE, ("u32 state", 8, 4, 0), ("u32 cpu_id", 12, 4, 0)),
    "sched/sched_switch": (
        SWITCH,
        ("long prev_state", 8, 8, 1),
        ("char next_comm[16]", 16, 16, 0),
        ("pid_t next_pid", 32, 4, 1),
    ),
    "timer/hrtimer_start": (
        START,
        ("void * hrtimer", 8, 8, 0),
        ("void * function", 16, 8, 0),
        ("s64 expires", 24, 8, 1),
    ),
    "block/block_rq_issue": (ISSUE, ("dev_t dev", 8, 4, 0), ("sector_t sector", 16, 8, 0)),
    "block/block_rq_complete": (COMPLETE, ("dev_t dev", 8, 4, 0), ("sector_t sector", 16, 8, 0)),
    "irq_vectors/local_timer_entry": (IRQ, ("int vector", 8, 4, 1)),
}


def events_folder(folder: Path) -> Path:
    return write_formats(folder, FORMATS)
