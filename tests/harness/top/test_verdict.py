"""The verdict: names the largest cost, and never blames idle threads."""

import pytest

from harness.top.result import DiskRow, RunQueue, WaitShare
from harness.top.verdict import verdict

QUEUE = RunQueue(running=1, cpus=2, cpu_pressure=0, io_pressure=0, memory_pressure=None)


def waits(**shares: float) -> list[WaitShare]:
    return [
        WaitShare(category=name.replace("_", " "), share=share, source="sampled")
        for name, share in shares.items()
    ]


@pytest.mark.parametrize(
    ("shares", "threads", "beginning"),
    [
        (
            {"running": 0.03, "lock_or_condition": 0.97},
            32,
            "0.96 of 32 threads on average: running",
        ),
        ({"run_queue": 0.6, "running": 0.4}, 4, "2.40 of 4 threads on average: run queue"),
        ({"poll": 1.0}, 8, "Nothing stands out."),
        ({"lock_or_condition": 1.0}, 8, "Nothing stands out. Threads rest in lock or condition"),
        ({"user_code": 0.9, "idle": 0.1}, None, "90% of the CPU time is user code"),
        ({"idle": 0.95, "kernel": 0.05}, None, "Nothing stands out."),
        ({}, 1, "The waits are not readable"),
    ],
)
def test_the_largest_clear_cost_is_named(
    shares: dict[str, float], threads: int | None, beginning: str
) -> None:
    assert verdict(waits(**shares), QUEUE, (), threads=threads).startswith(beginning)


def test_a_busy_disk_is_added() -> None:
    disk = DiskRow(
        name="vda",
        reads_per_s=9,
        writes_per_s=0,
        read_latency_ms=1,
        write_latency_ms=None,
        busy_share=0.97,
    )
    assert "Disk vda is busy 97%" in verdict(waits(idle=1.0), QUEUE, [disk], threads=None)
