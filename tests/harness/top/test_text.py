"""The text of a snapshot: names are untrusted, and what is missing is printed."""

import msgspec

from harness.cli.terminal import display_width
from harness.top.keys import KEYS
from harness.top.result import (
    DiskRow,
    FunctionShare,
    IdleShare,
    Missing,
    RunQueue,
    TopResult,
    WaitShare,
)
from harness.top.text import key_lines, lines
from tests.documents import assert_valid

RESULT = TopResult(
    pid=4,
    process="w\x1b[2Jork",
    seconds=2,
    verdict="Nothing stands out.",
    threads=50,
    threads_read=32,
    waits=(
        WaitShare(category="running", share=0.75, source="measured"),
        WaitShare(category="poll", share=0.25, source="sampled"),
    ),
    run_queue=RunQueue(running=3, cpus=2, cpu_pressure=0.1, io_pressure=None, memory_pressure=None),
    idle=(IdleShare(state="C1", share=0.5),),
    disks=(
        DiskRow(
            name="vda",
            reads_per_s=3,
            writes_per_s=0,
            read_latency_ms=0.5,
            write_latency_ms=None,
            busy_share=0.2,
        ),
    ),
    functions=(FunctionShare(name="f\x1b[2J" + "x" * 300, binary="/a", share=0.5),),
    missing=(Missing(part="slots and IPC", reason="no counters"),),
    cpu_share=0.008,
)


def test_every_part_is_printed_within_the_width() -> None:
    shown = list(lines(RESULT, 80))
    text = "\n".join(shown)
    assert max(map(display_width, shown)) <= 80
    assert "\x1b" not in text
    for part in (
        "32 of 50 threads read",
        "0.8% of a CPU",
        "75.0 %",
        "sampled",
        "3 runnable on 2 CPUs; pressure: cpu 10.0 %",
        "C1 50.0 %",
        "reads 3/s 0.50 ms, writes 0/s (no request ended)",
        "slots and IPC: unavailable: no counters",
    ):
        assert part in text


def test_rows_are_sorted_by_share_or_by_name() -> None:
    def order(*, by_name: bool) -> list[str]:
        rows = [line.split()[0] for line in lines(RESULT, 80, by_name=by_name) if line[:2] == "  "]
        return rows[:2]

    assert order(by_name=False) == ["running", "poll"]
    assert order(by_name=True) == ["poll", "running"]


def test_unknown_parts_are_unavailable() -> None:
    bare = msgspec.structs.replace(
        RESULT, idle=(), run_queue=RunQueue(
            running=None, cpus=2, cpu_pressure=None, io_pressure=None, memory_pressure=None
        )
    )  # fmt: skip
    text = "\n".join(lines(bare, 80))
    assert "unknown runnable on 2 CPUs; pressure: unavailable" in text
    assert "sleep states  unavailable" in text


def test_the_help_lists_every_key() -> None:
    text = "\n".join(key_lines())
    assert all(f"  {key}   {meaning}" in text for key, meaning in KEYS.items())


def test_the_document_is_valid() -> None:
    from stallscope.documents import encode

    assert_valid("top", encode(RESULT))
