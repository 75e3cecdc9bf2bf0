"""A result of the memory lab on the terminal."""

from dataclasses import replace

import pytest

from harness.labs.memory.measurement import MemoryMeasurement
from harness.labs.memory.options import MemoryOptions
from harness.labs.memory.plan import LabSection
from harness.labs.memory.points import Pages
from harness.labs.memory.result import memory_result
from harness.labs.memory.text import lines
from tests.harness.labs.memory.measurements import MIB, machine, measurement, without
from tests.harness.labs.stages.measurements import SETTINGS

CPU = "Model $x_1$ <b>\x1b[2J"


def text(lab: MemoryMeasurement, room: int = 100) -> str:
    return "\n".join(lines(memory_result(lab, CPU), room))


def test_the_text_has_every_section_and_no_control_character() -> None:
    written = text(measurement())
    assert "\x1b" not in written
    for title in ("Levels", "by ring size", "by stride", "by threads", "NUMA"):
        assert title in written
    assert "L2        3.80 ns  1 MiB and 1.25 MiB" in written
    assert "Huge pages: transparent (madvise)." in written
    assert (
        "L1 holds 8 lines, not 9, at strides from 4 KiB on: it has 8 ways; sysfs: 8 ways" in written
    )
    assert "this machine has one NUMA node" in written
    assert "counters: unavailable (No such file or directory)" in written


def test_machine_settings_are_printed_last() -> None:
    lab = measurement()
    assert "sleep states" not in text(lab)
    written = text(replace(lab, settings=SETTINGS))
    assert "less repeatable: C6 open (170 us), entered 9 times" in written


def test_bars_grow_with_the_latency() -> None:
    rows = [line for line in text(measurement()).splitlines() if "█" in line]
    assert len(rows) == 19
    bars = [row.count("█") for row in rows]
    assert bars == sorted(bars)
    assert bars[0] < bars[-1]


@pytest.mark.parametrize("room", [60, 80, 100, 200])
def test_tables_fit_the_width(room: int) -> None:
    rows = text(measurement(counted=True), room).splitlines()
    start = rows.index("Latency by stride and number of lines")
    table = rows[start + 1 : rows.index("", start)]
    assert max(map(len, table[:-2])) <= room
    assert table[0].split()[1] == "2"
    assert table[0].split()[-1] == "32"


def test_counters_have_a_line_per_thread_and_ring() -> None:
    written = text(measurement(counted=True))
    assert "unavailable" not in written
    rows = [line for line in written.splitlines() if " of 4 " in line]
    assert len(rows) == 4 * len(measurement().section(LabSection.THREADS).readings) / 3
    assert rows[0].split() == ["16", "KiB", "1", "of", "4", "3.000", "3.000"]


def test_many_threads_have_a_single_line_of_medians() -> None:
    written = text(measurement(MemoryOptions(quick=True), on=machine(cpus=16), counted=True))
    assert "8 of 8" in written
    assert "median of 16         3.000         3.000" in written
    assert " of 16 " not in written.replace("median of 16 ", "")


def test_orders_show_what_prefetching_gains() -> None:
    written = text(measurement())
    assert "by order of the lines" in written
    for head in ("sequential", "strided 256 B", "random", "with prefetches"):
        assert head in written
    lab = measurement()
    fast = replace(lab.section(LabSection.ORDERS).readings[0].threads[0], latency_ns=(0.5,))
    sections = tuple(
        replace(
            section, readings=(replace(section.readings[0], threads=(fast,)), *section.readings[1:])
        )
        if section.section is LabSection.ORDERS
        else section
        for section in lab.sections
    )
    assert "0.50 (2.0x)" in text(replace(lab, sections=sections))


def test_counts_that_grow_with_threads_are_marked() -> None:
    lab = measurement(counted=True)
    threads = lab.section(LabSection.THREADS)
    slow = [
        replace(
            reading,
            threads=tuple(
                replace(thread, counts_per_step={"cycles": 1e6, "instructions": 3.0})
                for thread in reading.threads
            ),
        )
        if len(reading.point.cpus) > 1
        else reading
        for reading in threads.readings
    ]
    sections = tuple(
        replace(section, readings=tuple(slow)) if section is threads else section
        for section in lab.sections
    )
    assert "1000000.000!" in text(replace(lab, sections=sections))
    assert "3.000!" not in text(replace(lab, sections=sections))


def test_pairs_of_nodes_are_a_table() -> None:
    written = text(measurement(on=machine(nodes=2)))
    assert "memory 0    memory 1" in written
    assert "CPU 0      110.00      165.00" in written


def test_left_out_points_and_interruptions_are_noted() -> None:
    bounded = measurement(limit_bytes=200 * MIB)
    assert (
        "left out of curve: rings of 256 MiB, 512 MiB, 1 GiB: more than the lab's limit of 200 MiB"
        in text(bounded)
    )
    assert "left out of threads: rings of 64 MiB in 4 threads, 128 MiB in 2 threads" in text(
        bounded
    )
    cut = without(measurement(), LabSection.THREADS, LabSection.NODES)
    assert "interrupted: only the points measured before are shown" in text(cut)
    assert "interrupted before it" in text(cut)


def test_an_empty_measurement_has_no_empty_table() -> None:
    empty = without(measurement(), *LabSection)
    assert "too few rings were measured to detect levels" in text(empty)


def test_levels_with_small_pages_have_a_warning() -> None:
    assert "that of a translation" in text(measurement(MemoryOptions(pages=(Pages.SMALL,))))
    assert "warning" not in text(measurement())
