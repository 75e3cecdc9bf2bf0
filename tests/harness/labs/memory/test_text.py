"""The lab's text, document and picture, of results that are known."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise

import pytest

from harness.labs.memory.document import SCHEMA, lab_document
from harness.labs.memory.experiment import LabResults
from harness.labs.memory.figure import picture
from harness.labs.memory.findings import conclude
from harness.labs.memory.plan import LabOptions, Section
from harness.labs.memory.points import Pages
from harness.labs.memory.text import lines
from tests.harness.labs.memory.results import GIB, KIB, MIB, machine, results, without
from tests.harness.labs.stages.measurements import SETTINGS

CPU = "Model $x_1$ <b>\x1b[2J"


def text(found: LabResults, room: int = 100) -> str:
    return "\n".join(lines(found, conclude(found), CPU, room))


def document(found: LabResults) -> dict:
    return json.loads(json.dumps(lab_document(found, conclude(found), CPU), allow_nan=False))


def test_the_text_has_every_section_and_no_control_character() -> None:
    written = text(results())
    assert "\x1b" not in written
    for title in ("Levels", "by ring size", "by stride", "by threads", "NUMA"):
        assert title in written
    assert "L2        3.80 ns  1 MiB and 1.25 MiB" in written
    assert "Huge pages: transparent ones (madvise)." in written
    assert (
        "L1 holds 8 lines, not 9, at strides from 4 KiB on: that many ways; sysfs: 8 ways"
        in written
    )
    assert "this machine has one NUMA node" in written
    assert "counters: unavailable (No such file or directory)" in written


def test_what_it_ran_under_is_told() -> None:
    plain = results()
    assert document(plain)["settings"] is None
    assert "sleep states" not in text(plain)
    found = replace(plain, settings=SETTINGS)
    assert document(found)["settings"]["states"][1]["entries"] == 9
    assert "less repeatable: C6 open (170 us), entered 9 times" in text(found)


def test_bars_grow_with_the_latency() -> None:
    rows = [line for line in text(results()).splitlines() if "█" in line]
    assert len(rows) == 19
    bars = [row.count("█") for row in rows]
    assert bars == sorted(bars)
    assert bars[0] < bars[-1]


@pytest.mark.parametrize("room", [60, 80, 100, 200])
def test_tables_keep_to_the_room(room: int) -> None:
    rows = text(results(counted=True), room).splitlines()
    start = rows.index("Latency by stride and lines")
    table = rows[start + 1 : rows.index("", start)]
    assert max(map(len, table[:-2])) <= room
    assert table[0].split()[1] == "2"
    assert table[0].split()[-1] == "32"


def test_counters_have_a_line_for_each_thread_of_each_ring() -> None:
    written = text(results(counted=True))
    assert "unavailable" not in written
    rows = [line for line in written.splitlines() if " of 4 " in line]
    assert len(rows) == 4 * len(results().section(Section.THREADS).measured) / 3
    assert rows[0].split() == ["16", "KiB", "1", "of", "4", "3.000", "3.000"]


def test_many_threads_have_one_line_of_medians() -> None:
    written = text(results(LabOptions(quick=True), on=machine(cpus=16), counted=True))
    assert "8 of 8" in written
    assert "median of 16         3.000         3.000" in written
    assert " of 16 " not in written.replace("median of 16 ", "")


def test_pairs_of_nodes_are_a_table() -> None:
    written = text(results(on=machine(nodes=2)))
    assert "memory 0    memory 1" in written
    assert "CPU 0      110.00      165.00" in written


def test_what_was_left_out_or_interrupted_is_said() -> None:
    bounded = results(limit_bytes=200 * MIB)
    assert "left out of curve: rings of 256 MiB, 512 MiB, 1 GiB: more than the 200 MiB" in text(
        bounded
    )
    assert "left out of threads: rings of 64 MiB in 4 threads, 128 MiB in 2 threads" in text(
        bounded
    )
    cut = without(results(), Section.THREADS, Section.NODES)
    assert "interrupted: what was measured until then is shown" in text(cut)
    assert "interrupted before it" in text(cut)


def test_nothing_measured_is_no_empty_table() -> None:
    nothing = without(results(), *Section)
    assert "too few rings were measured to look for levels" in text(nothing)
    assert document(nothing)["levels"][0]["found"] is None


def test_small_pages_make_the_levels_doubtful() -> None:
    assert "that of a translation" in text(results(LabOptions(pages=(Pages.SMALL,))))
    assert "warning" not in text(results())


def test_the_document() -> None:
    found = document(results(counted=True))
    assert found["schema"] == SCHEMA
    assert [row["name"] for row in found["levels"]] == ["L1", "L2", "L3", "memory"]
    assert [row["told_bytes"] for row in found["levels"]] == [32 * KIB, MIB, 32 * MIB, None]
    ns = [row["found"]["latency_ns"] for row in found["levels"]]
    assert all(a < b for a, b in pairwise(ns))
    assert [row["found"]["confidence"] for row in found["levels"]] == ["high", "high", "high", None]
    assert found["ways"][0]["fits_lines"] == found["ways"][0]["told_ways"] == 8
    assert found["counters"] == {
        "kind": "measured",
        "counted": ["cycles", "instructions"],
        "refused": {},
    }
    point = found["curve"]["points"][-1]
    assert (point["ring_bytes"], point["kind"]) == (GIB, "measured")
    assert point["least_ns"] <= point["median_ns"] <= point["most_ns"]
    assert found["machine"]["nodes"] == [{"node": 0, "cpus": [0, 1, 2, 3]}]
    assert [cache["level"] for cache in found["machine"]["caches"]] == [1, 2, 3]
    assert found["nodes"]["note"] == "this machine has one NUMA node"


def test_counters_that_are_refused_are_null_with_the_reason() -> None:
    found = document(results())
    assert found["counters"]["kind"] == "unavailable"
    assert found["counters"]["refused"]["cycles"] == "No such file or directory"
    assert found["threads"]["points"][0]["threads"][0]["counts_per_step"]["cycles"] is None


def drawn(found: LabResults, file_format: str) -> bytes:
    return picture(found, conclude(found), CPU, file_format)


def test_the_picture_says_what_it_shows() -> None:
    texts = "".join(ET.fromstring(drawn(results(LabOptions(quick=True)), "svg")).itertext())
    for text in (
        "Model $x_1$ <b>",
        "sysfs L3: 32 MiB",
        "L2 3.8 ns",
        "ns a step",
        "4 threads",
        "4 KiB+64",
    ):
        assert text in texts


def test_what_is_hardly_there_is_drawn_too_and_always_the_same() -> None:
    nothing = without(results(), *Section)
    first = drawn(nothing, "svg")
    assert b"not measured" in first
    assert drawn(nothing, "svg") == first
    one = results(LabOptions(most_bytes=4 * KIB, strides=(64,), threads=(1,)))
    assert drawn(one, "png").startswith(b"\x89PNG")
