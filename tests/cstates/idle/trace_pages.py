"""Tracepoint format files with known numbers."""

from pathlib import Path

IDLE, SWITCH, START, IRQ, ISSUE, COMPLETE = 11, 12, 13, 14, 15, 16

COMMON = """
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;
"""

FORMATS: dict[str, tuple[int, *tuple[tuple[str, int, int, int], ...]]] = {
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
    for name, (number, *fields) in FORMATS.items():
        lines = "".join(
            f"\tfield:{field};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n"
            for field, offset, size, signed in fields
        )
        (folder / name).mkdir(parents=True)
        (folder / name / "format").write_text(f"name: x\nID: {number}\nformat:{COMMON}\n{lines}")
    return folder
