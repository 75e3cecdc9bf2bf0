"""The text of a queue for a terminal."""

from pathlib import Path

import pytest
from msgspec import structs

from harness.io.queue.text import lines
from ioprobe.block_queue.stalls import StallCause
from tests.harness.io.queue.results import (
    ACTIVITY,
    PATHS,
    Machines,
    interval,
    result,
    submission_stalls,
)

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", PATHS)
def test_the_text_of_recorded_machines(machine: Machines, name: str) -> None:
    text = "\n".join(lines(result(machine(name), PATHS[name]), 100)) + "\n"
    golden = GOLDEN / f"queue-{name}.txt"
    if not golden.exists() or golden.read_text() != text:
        golden.with_suffix(".got").write_text(text)
    assert golden.exists(), f"see {golden.with_suffix('.got')}"
    assert golden.read_text() == text, f"see {golden.with_suffix('.got')}"


def test_the_activity_of_devices_is_printed(machine: Machines) -> None:
    roots = machine("sata-rotational")
    text = "\n".join(lines(result(roots, "/dev/sda", interval(sda=ACTIVITY)), 200))
    assert "In 2 s: 100 reads/s (400 KiB/s, mean 10 ms), 50 writes/s (0 B/s), 2 in flight" in text
    full = "full queue of reads would carry at most 25 MiB/s (nr_requests 64 x 4 KiB / 10 ms)"
    assert f"Modelled: a {full}; measured 400 KiB/s" in text
    assert "queue of writes" not in text, "nothing was written, so there is no size"
    text = "\n".join(lines(result(roots, "/dev/sda", interval()), 200))
    assert "unknown: its counters" in text


def test_hostile_names_are_escaped(machine: Machines) -> None:
    roots = machine("sata-rotational")
    evil = "<b>\x1b[31m\u202ex"
    (roots.sys / "class/block/sda").resolve().joinpath("device/model").write_text(evil)
    path = roots.proc / "self/mountinfo"
    path.write_text(path.read_text().replace("xfs", evil))
    text = "\n".join(lines(result(roots, "/x"), 80))
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_lines_fit_a_narrow_terminal(machine: Machines) -> None:
    narrow = lines(result(machine("crypt-over-sata"), "/home"), 44)
    assert all(len(line) <= 44 for line in narrow)


def test_stalls_are_printed_with_their_cause(machine: Machines) -> None:
    measured = result(machine("sata-rotational"), "/dev/sda", interval(submission_stalls()))
    text = "\n".join(lines(measured, 400))
    assert "d\\x1bb (70): 6 of 8 requests passed to workers (75.0 %); 0 of 8" in text
    assert "p50 4 µs, p99 9 µs, max 1.2 ms. Cause: over nr_requests: the queue accepts 8" in text
    assert "1 more processes used plain reads" in text
    assert "5 events were lost" in text
    assert measured.stalls is not None
    unknown = structs.replace(measured, stalls=structs.replace(measured.stalls, lost_events=None))
    text = "\n".join(lines(unknown, 400))
    assert "The number of lost events is unknown" in text
    assert "x is not traced" in text


@pytest.mark.parametrize("cause", StallCause)
def test_every_cause_has_an_explanation(machine: Machines, cause: StallCause) -> None:
    measurement = interval(submission_stalls(cause=cause))
    text = "\n".join(lines(result(machine("sata-rotational"), "/dev/sda", measurement), 400))
    assert f"Cause: {cause.value}" in text.replace("the filesystem", "filesystem")
