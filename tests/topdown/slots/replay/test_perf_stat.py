"""What perf stat prints: columns, JSON lines, intervals, uncounted events, and broken text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stallscope.errors import RecordingError, StallscopeError
from topdown.slots.counts import EventCounts
from topdown.slots.replay.perf_stat import (
    first_line,
    is_perf_json,
    readings_of_csv,
    readings_of_json_lines,
)


def csv(text: str) -> list[EventCounts]:
    return list(readings_of_csv(text, "x.csv"))


def test_columns_of_a_whole_run() -> None:
    [reading] = csv(
        "# started on Sat Nov 21 2026\n\n"
        "123456,,cycles:u,1000,100.00,,\n"
        "<not counted>,,cpu/event=0x9c,umask=0x1/u,0,0.00,,\n"
        "<not supported>,,ref-cycles,0,100.00,,\n"
        "2000,,instructions,500,50.00,1.50,insn per cycle\n"
        "250000000,ns,duration_time,250000000,100.00,,\n"
    )
    assert reading.counts == {"cycles:u": 123456, "instructions": 2000, "duration_time": 0.25}
    assert reading.running == {"instructions": 0.5}
    assert set(reading.absent) == {"cpu/event=0x9c,umask=0x1/u", "ref-cycles"}
    assert reading.where == "x.csv"


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators(separator: str) -> None:
    [reading] = csv(separator.join(["7", "", "cpu/event=0x3c,umask=0x0/", "9", "100.00"]))
    assert reading.counts == {"cpu/event=0x3c,umask=0x0/": 7}


def test_intervals_are_readings_and_cpus_are_added_up() -> None:
    readings = csv(
        "     1.000104,CPU0,5,,cycles,9,100.00\n"
        "     1.000104,CPU1,6,,cycles,9,40.00\n"
        "     2.000301,CPU0,7,,cycles,9,100.00\n"
    )
    assert [reading.counts for reading in readings] == [{"cycles": 11}, {"cycles": 7}]
    assert readings[0].running == {"cycles": 0.4}
    assert readings[1].where == "x.csv at 2.000301 s"


def test_an_event_of_several_groups_is_counted_once() -> None:
    [reading] = csv(
        "100,,cycles,9,50.00\n40,,instructions,9,50.00\n"
        "110,,cycles,9,75.00\n7,,branches,9,75.00\n90,,cycles,9,75.00\n"
    )
    assert reading.counts == {"cycles": 110, "instructions": 40, "branches": 7}
    assert reading.running == {"cycles": 0.75, "instructions": 0.5, "branches": 0.75}
    line = '{"counter-value" : "5.0", "unit" : "", "event" : "cycles", "pcnt-running" : 50.00}\n'
    [twice] = readings_of_json_lines(line * 2, "x")
    assert twice.counts == {"cycles": 5}


def test_a_sum_with_a_missing_part_has_no_value() -> None:
    [reading] = csv(
        "CPU0,5,,cycles,9,100.00\nCPU1,6,,cycles,9,100.00\n"
        "CPU0,3,,instructions,9,100.00\nCPU1,<not counted>,,instructions,0,0.00\n"
    )
    assert reading.counts == {"cycles": 11}
    assert "in some of" in reading.absent["instructions"]
    # A thread that never ran has no count of anything, and lacks none.
    [threads] = csv("a-1,5,,cycles,9,100.00\nb-2,<not counted>,,cycles,0,0.00\n")
    assert (threads.counts, dict(threads.absent)) == ({"cycles": 5}, {})


def test_cgroups_follow_the_event() -> None:
    [reading] = csv("5,,cycles,a.slice,9,40.00\n6,,cycles,b.slice,9,100.00\n")
    assert (reading.counts, reading.running) == ({"cycles": 11}, {"cycles": 0.4})


def test_cores_with_a_number_of_cpus() -> None:
    [reading] = csv("S0-D0-C0,2,100,,cycles,9,100.00\nS0-D0-C1,2,11,,cycles,9,100.00\n")
    assert reading.counts == {"cycles": 111}


def test_lines_with_only_a_metric_are_skipped() -> None:
    [reading] = csv("5,,slots,9,100.00,,\n,,,,,43.2,%  tma_retiring\n1.0,,,,,,,0.5,GHz\n")
    assert reading.counts == {"slots": 5}


def test_output_of_perf_6_1_is_read() -> None:
    intervals = csv(
        "     0.100168513,0.78,msec,task-clock,779063,100.00,0.008,CPUs utilized\n"
        "     0.100168513,76,,page-faults,779063,100.00,97.553,K/sec\n"
        "     0.201982121,<not counted>,msec,task-clock,0,100.00,,\n"
        "     0.201982121,<not counted>,,page-faults,0,100.00,,\n"
    )
    assert [reading.counts for reading in intervals] == [
        {"task-clock": 0.78, "page-faults": 76},
        {},
    ]
    assert set(intervals[1].absent) == {"task-clock", "page-faults"}
    [cores] = csv(
        "S0-D0-C0,1,261,,page-faults,111467134,100.00,,\n"
        "S0-D0-C1,1,3076,,page-faults,113850873,100.00,,\n"
    )
    assert cores.counts == {"page-faults": 3337}
    [cpus] = readings_of_json_lines(
        '{"interval" : 0.100450770, "cpu" : "0", "counter-value" : "101.494311", "unit" : "msec", '
        '"event" : "task-clock", "event-runtime" : 101493690, "pcnt-running" : 100.00}\n'
        '{"interval" : 0.100450770, "cpu" : "1", "counter-value" : "103.036504", "unit" : "msec", '
        '"event" : "task-clock", "event-runtime" : 103035593, "pcnt-running" : 100.00}\n',
        "x",
    )
    assert cpus.counts == {"task-clock": pytest.approx(204.530815)}


def test_repeated_runs_have_a_spread_before_the_running_share() -> None:
    [reading] = csv("100,,cycles,0.25%,9,75.00,,\n")
    assert reading.running == {"cycles": 0.75}


def test_json_lines() -> None:
    text = (
        '{"interval" : 1.0, "counter-value" : "12.000000", "unit" : "", "event" : "cycles", '
        '"event-runtime" : 9, "pcnt-running" : 100.00, "metric-value" : "0.0"}\n'
        '{"interval" : 1.0, "counter-value" : "<not counted>", "event" : "instructions"}\n'
        '{"metric-value" : "0.5", "metric-unit" : "GHz"}\n'
        '{"interval" : 2.0, "counter-value" : "13.5", "event" : "cycles", "pcnt-running" : 25}\n'
    )
    assert is_perf_json(first_line(f"# started on Sat\n\n{text}"))
    first, second = readings_of_json_lines(text, "x")
    assert (first.counts, set(first.absent)) == ({"cycles": 12}, {"instructions"})
    assert (second.counts, second.running) == ({"cycles": 13.5}, {"cycles": 0.25})


@pytest.mark.parametrize(
    "text",
    [
        "hello world",
        "1,2",
        "1,,2,3",
        "nan,,cycles,1,100",
        "1e300,,cycles,1,100",
        "5," + "x" * 5000 + ",cycles",
        "cycles,,5",
    ],
)
def test_invalid_columns_are_an_error_with_the_line_number(text: str) -> None:
    with pytest.raises(RecordingError, match="x.csv:1"):
        csv(text)


@pytest.mark.parametrize(
    "line",
    [
        '{"counter-value" : "abc", "event" : "cycles"}',
        '{"counter-value" : "1e999", "event" : "cycles"}',
        '{"counter-value" : null, "event" : "cycles"}',
        '{"counter-value" : [1], "event" : "cycles"}',
        '{"counter-value" : "5", "event" : "cycles"',
    ],
)
def test_broken_json_lines(line: str) -> None:
    with pytest.raises(RecordingError, match="x:1"):
        list(readings_of_json_lines(line, "x"))


@given(st.text(alphabet='01.,;<>notcued "{}:/\n#cyles-%\x00', max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    for reader in (readings_of_csv, readings_of_json_lines):
        try:
            list(reader(text, "x"))
        except StallscopeError as error:
            assert error.remedy
