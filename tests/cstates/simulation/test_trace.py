"""Reading traces of idle intervals; errors name the line."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cstates.simulation.trace import LONGEST_NS, read_trace
from stallscope.errors import RecordingError, StallscopeError, UsageError

HEAD = "cpu,t_entry_ns,idle_ns,next_hrtimer_ns,wake"


def written(folder: Path, *rows: str, head: str = HEAD, end: str = "\n") -> Path:
    path = folder / "idle.csv"
    path.write_text("\n".join((head, *rows)) + end)
    return path


def test_columns_are_read(tmp_path: Path) -> None:
    trace = read_trace(written(tmp_path, "0,1000,250,4000,timer", "3,1100,5,-7,ipi"))
    assert trace.cpu.tolist() == [0, 3]
    assert trace.t_entry_ns.tolist() == [1000, 1100]
    assert trace.idle_ns.tolist() == [250, 5]
    assert trace.next_timer_ns.tolist() == [4000, 0]  # due already
    assert trace.next_event_ns is None
    assert trace.entered is None
    assert trace.wake is not None
    assert trace.wake.tolist() == ["timer", "ipi"]
    assert trace.duration_s == pytest.approx(250e-9)


def test_optional_columns_have_the_state_and_the_tick(tmp_path: Path) -> None:
    trace = read_trace(
        written(
            tmp_path,
            "0,1000,1,250,4000,900000,ipi,what",
            head="cpu,t_entry_ns,state,idle_ns,next_hrtimer_ns,next_nontick_hrtimer_ns,wake,other",
        )
    )
    assert trace.entered is not None
    assert trace.entered.tolist() == [1]
    assert trace.next_timer_ns.tolist() == [900000]
    assert trace.next_event_ns is not None
    assert trace.next_event_ns.tolist() == [4000]


def test_optional_columns_have_io_waiters_and_load(tmp_path: Path) -> None:
    head = "cpu,t_entry_ns,idle_ns,next_hrtimer_ns,iowaiters,load,wake"
    trace = read_trace(written(tmp_path, "0,1,2,3,4,1.25,timer", "0,5,2,3,0,3,timer", head=head))
    assert trace.io_waiters is not None
    assert trace.io_waiters.tolist() == [4, 0]
    assert trace.load is not None
    assert trace.load.tolist() == [1.25, 3.0]
    without = read_trace(written(tmp_path, "0,1,2,3,timer"))
    assert (without.io_waiters, without.load) == (None, None)


@pytest.mark.parametrize(
    ("waiters", "load", "message"),
    [
        ("-1", "0", "line 3: iowaiters is -1, not between 0"),
        ("1.5", "0", "line 3: iowaiters is '1.5', not an integer"),
        ("1000001", "0", "line 3: iowaiters is 1000001"),
        ("0", "-0.5", "line 3: load is -0.5, not between 0"),
        ("0", "nan", "line 3: load is nan"),
        ("0", "inf", "line 3: load is inf"),
        ("0", "1e7", "line 3: load is 10000000.0"),
        ("0", "x", "line 3: load is 'x', not a number"),
        ("0", "", "line 3: load is '', not a number"),
    ],
)
def test_invalid_io_waiters_and_loads_are_named(
    tmp_path: Path, waiters: str, load: str, message: str
) -> None:
    head = "cpu,t_entry_ns,idle_ns,next_hrtimer_ns,iowaiters,load,wake"
    rows = ("0,1,2,3,0,0,timer", f"0,5,2,3,{waiters},{load},timer", "0,9,2,3,0,0,timer")
    with pytest.raises(RecordingError) as refused:
        read_trace(written(tmp_path, *rows, head=head))
    assert message in refused.value.message


def test_a_timer_beyond_the_limit_counts_as_none(tmp_path: Path) -> None:
    trace = read_trace(written(tmp_path, f"0,1000,250,{2**63 - 1},timer"))
    assert trace.next_timer_ns.tolist() == [LONGEST_NS]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("0,1000,-250,4000,timer", "line 3: idle_ns is -250, not between 0"),
        ("0,-1,250,4000,timer", "line 3: t_entry_ns is -1"),
        ("-1,2000,250,4000,timer", "line 3: cpu is -1"),
        ("70000,2000,250,4000,timer", "line 3: cpu is 70000"),
        ("0,2000,NaN,4000,timer", "line 3: idle_ns is 'NaN', not an integer"),
        ("0,2000,,4000,timer", "line 3: idle_ns is '', not an integer"),
        ("0,2000,2.5,4000,timer", "line 3: idle_ns is '2.5', not an integer"),
        ("0,2000,inf,4000,timer", "line 3: idle_ns is 'inf', not an integer"),
        (
            "0,2000,9999999999999999,4000,timer",
            "line 3: idle_ns is 9999999999999999, not between 0",
        ),
        ("0,2000,99999999999999999999999,4000,timer", "exceeds 64 bits"),
        ("0,2000,250,99999999999999999999999,timer", "line 3: next_hrtimer_ns is 99999"),
        ("0,2000,250", "line 3: 3 fields instead of 5"),
        ("0,2000,250,4000,timer,more", "line 3: 6 fields instead of 5"),
        ("0,2000,250,4000,", "line 3: wake is '', not a cause"),
        ("0,2000,250,4000,\x1b[2J", "line 3: wake is"),
        ("0,999,250,4000,timer", "line 3: on CPU 0 t_entry_ns goes back"),
        ("", "line 3: "),
    ],
)
def test_an_invalid_line_is_named(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(RecordingError) as refused:
        read_trace(written(tmp_path, "0,1000,250,4000,timer", row, "0,9000,1,1,timer"))
    assert message in refused.value.message
    assert "idle.csv" in refused.value.message
    assert "idle_ns" in refused.value.remedy


@pytest.mark.parametrize(
    "rows", [("0,1000,250,4000,timer",), ("0,1000,250,4000,nmi", "0,2000,250,4000,nmi")]
)
def test_a_complete_last_line_needs_no_newline(tmp_path: Path, rows: tuple[str, ...]) -> None:
    assert read_trace(written(tmp_path, *rows, end="")).idle_ns.size == len(rows)


def test_time_may_decrease_between_cpus(tmp_path: Path) -> None:
    read_trace(written(tmp_path, "0,1000,1,1,timer", "1,500,1,1,timer", "0,1001,1,1,timer"))


def test_unreadable_files_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="line 2: the file is cut off"):
        read_trace(written(tmp_path, "0,1000,250,4000,ti", end=""))
    with pytest.raises(RecordingError, match="line 2: the file is cut off"):
        read_trace(written(tmp_path, "0,1000,250", end=""))
    with pytest.raises(RecordingError, match="has no intervals"):
        read_trace(written(tmp_path))
    with pytest.raises(RecordingError, match="line 1: the column idle_ns, wake is missing"):
        read_trace(written(tmp_path, head="cpu,t_entry_ns,next_hrtimer_ns"))
    with pytest.raises(RecordingError, match="line 1: the column cpu occurs twice"):
        read_trace(written(tmp_path, head=f"{HEAD},cpu"))
    (tmp_path / "empty.csv").touch()
    with pytest.raises(RecordingError, match="is empty"):
        read_trace(tmp_path / "empty.csv")
    with pytest.raises(UsageError, match="cannot read"):
        read_trace(tmp_path / "none.csv")
    with pytest.raises(UsageError, match="not a regular file"):
        read_trace(Path("/dev/null"))


@settings(deadline=None)
@given(cut=st.integers(0, 200), junk=st.binary(max_size=8))
def test_any_damage_is_read_or_rejected(
    tmp_path_factory: pytest.TempPathFactory, cut: int, junk: bytes
) -> None:
    whole = b"\n".join([HEAD.encode(), *(b"0,%d,250,4000,timer" % (1000 * n) for n in range(1, 8))])
    path = tmp_path_factory.getbasetemp() / "damaged.csv"
    path.write_bytes(whole[:cut] + junk + whole[cut:] + b"\n")
    try:
        trace = read_trace(path)
    except StallscopeError as error:
        assert error.remedy
        return
    assert (trace.idle_ns >= 0).all()
    assert np.issubdtype(trace.idle_ns.dtype, np.int64)
