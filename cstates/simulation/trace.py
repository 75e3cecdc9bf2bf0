"""Idle intervals of CPUs, recorded or generated, as columns; the CSV reader checks every row."""

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from stallscope.errors import RecordingError
from stallscope.regular_file import read_named_file
from stallscope.system_files import MAX_CPUS

COLUMNS = ("cpu", "t_entry_ns", "idle_ns", "next_hrtimer_ns", "wake")
LOAD = "load"  # the only column with decimals
OPTIONAL_COLUMNS = ("state", "next_nontick_hrtimer_ns", "iowaiters", LOAD)
WAKES = ("timer", "ipi", "interrupt", "unknown")  # as recorded; a trace may have others
LONGEST_NS = 10**15  # 11 days; a later timer counts as none
MAX_WAITERS = 1_000_000
LARGEST_LOAD = 1_000_000
LARGEST_FILE_BYTES = 2 * 2**30
_REMEDY = f"a trace is CSV with the columns {','.join(COLUMNS)}; record it again"
_WAKE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]  # int64, or float64 in the column `load`


@dataclass(frozen=True, slots=True, eq=False)
class IdleTrace:
    """Idle intervals in order of time within each CPU; arrays are (n_intervals,)."""

    name: str
    cpu: Integers
    t_entry_ns: Integers
    idle_ns: Integers  # from entry to the wake-up
    next_timer_ns: Integers  # from entry to the next timer, without the tick; max. LONGEST_NS
    next_event_ns: Integers | None  # with the tick, if the trace has both
    wake: npt.NDArray[np.object_] | None  # cause of the wake-up
    entered: npt.NDArray[np.uint8] | None  # the state the kernel entered
    io_waiters: Integers | None = None  # tasks that wait for I/O on the CPU at the entry
    load: npt.NDArray[np.float64] | None = None  # the CPU's load at the entry

    @property
    def duration_s(self) -> float:
        """Return the seconds from the first entry to the last wake-up."""
        if not self.idle_ns.size:
            return 0.0
        return float((self.t_entry_ns + self.idle_ns).max() - self.t_entry_ns.min()) / 1e9


def read_trace(path: Path) -> IdleTrace:
    """Return the intervals of a CSV file; a million take about a second.

    Raises UsageError if the file cannot be opened. Raises RecordingError with the line number if it
    is cut off, if a number is missing, negative, not an integer or out of range, or if time goes
    backwards.
    """
    content = _content(path)
    names = _header(content, path)
    if content.count(b",") != content.count(b"\n") * (len(names) - 1):
        _find_bad_line(content, path)
    import pandas as pd  # noqa: PLC0415 - a heavy import that only traces need

    numeric = [name for name in names if name in (*COLUMNS, *OPTIONAL_COLUMNS) and name != "wake"]
    try:
        with np.errstate(invalid="ignore"):  # infinities raise the error below
            frame = pd.read_csv(
                io.BytesIO(content),
                usecols=[*numeric, "wake"],
                dtype={name: _column_type(name) for name in (*numeric, "wake")},
                na_filter=False,
                skip_blank_lines=False,
                index_col=False,
                quoting=csv.QUOTE_NONE,
                lineterminator="\n",
            )
    except (ValueError, OverflowError) as error:
        _find_bad_line(content, path)
        raise RecordingError(f"{path} is not a trace: {error}", _REMEDY) from error
    columns = {name: frame[name].to_numpy() for name in numeric}
    wakes = frame["wake"]
    invalid = [str(wake) for wake in wakes.cat.categories if not _WAKE.fullmatch(str(wake))]
    _check_ranges(columns, path)
    if invalid:
        line = int((wakes == invalid[0]).to_numpy().argmax()) + 2
        raise _line_error(path, line, f"wake is {invalid[0]!r}, not a cause such as timer")
    return _trace(str(path), columns, wakes.to_numpy(dtype=object))


def _column_type(name: str) -> str:
    return {"wake": "category", LOAD: "float64"}.get(name, "int64")


def _content(path: Path) -> bytes:
    content = read_named_file(path, LARGEST_FILE_BYTES, "name a file of idle intervals")
    if not content:
        raise RecordingError(f"{path} is empty", _REMEDY)
    content = content.replace(b"\r\n", b"\n")
    return content if content.endswith(b"\n") else _with_final_newline(content, path)


def _with_final_newline(content: bytes, path: Path) -> bytes:
    """Return the content with a final newline; RecordingError if its last line seems incomplete."""
    before, _, last = content.rpartition(b"\n")
    header, _, rows = before.partition(b"\n")
    names = header.split(b",")
    fields = last.split(b",")
    complete = len(fields) == len(names) and b"wake" in names
    if complete:
        column = names.index(b"wake")
        wake = fields[column]
        is_valid = wake.decode("utf-8", "replace") in WAKES
        # Only a name in the last column shows whether the line is cut: other rows must have it.
        complete = column == len(names) - 1 and (is_valid or b"," + wake + b"\n" in rows + b"\n")
    if not complete:
        lines = content.count(b"\n") + 1
        raise _line_error(path, lines, "the file is cut off: its last line is incomplete")
    return content + b"\n"


def _header(content: bytes, path: Path) -> list[str]:
    line = content.split(b"\n", 1)[0][:4096].decode("utf-8", "replace")
    names = line.split(",")
    absent = [column for column in COLUMNS if column not in names]
    if absent:
        raise _line_error(path, 1, f"the column {', '.join(absent)} is missing")
    repeated = [column for column in (*COLUMNS, *OPTIONAL_COLUMNS) if names.count(column) > 1]
    if repeated:
        raise _line_error(path, 1, f"the column {repeated[0]} occurs twice")
    return names


def _find_bad_line(content: bytes, path: Path) -> None:
    """Raise RecordingError for the first line that is not a row."""
    lines = content.decode("utf-8", "replace").split("\n")[:-1]
    names = lines[0].split(",")
    for number, line in enumerate(lines[1:], 2):
        row = line.split(",")
        if len(row) != len(names):
            raise _line_error(path, number, f"{len(row)} fields instead of {len(names)}")
        for name, text in zip(names, row, strict=True):
            if name != "wake" and name in (*COLUMNS, *OPTIONAL_COLUMNS):
                _check_number(path, number, name, text)


def _check_number(path: Path, line: int, name: str, text: str) -> None:
    kind = "a number" if name == LOAD else "an integer"
    try:
        value = float(text[:64]) if name == LOAD else int(text[:64])
    except ValueError:
        raise _line_error(path, line, f"{name} is {text[:64]!r}, not {kind}") from None
    if not -(2**63) <= value < 2**63:
        raise _line_error(path, line, f"{name} is {value}, which exceeds 64 bits")


def _check_ranges(columns: dict[str, Numbers], path: Path) -> None:
    bounds = {
        "cpu": (0, MAX_CPUS - 1),
        "t_entry_ns": (0, 2**62),
        "idle_ns": (0, LONGEST_NS),
        "state": (0, 255),
        "iowaiters": (0, MAX_WAITERS),
        LOAD: (0, LARGEST_LOAD),
    }
    if not columns["idle_ns"].size:
        raise RecordingError(f"{path} has no intervals", _REMEDY)
    for name, (low, high) in bounds.items():
        if name in columns:
            inside = (columns[name] >= low) & (columns[name] <= high)  # false for NaN
            if not inside.all():
                at = int(inside.argmin())
                value = columns[name][at]
                raise _line_error(path, at + 2, f"{name} is {value}, not between {low} and {high}")
    _check_order(columns, path)


def _check_order(columns: dict[str, Numbers], path: Path) -> None:
    order = np.argsort(columns["cpu"], kind="stable")
    same = np.diff(columns["cpu"][order]) == 0
    backwards = same & (np.diff(columns["t_entry_ns"][order]) < 0)
    if backwards.any():
        at = int(order[int(backwards.argmax()) + 1])
        cpu = int(columns["cpu"][at])
        raise _line_error(path, at + 2, f"on CPU {cpu} t_entry_ns goes back")


def _line_error(path: Path, line: int, problem: str) -> RecordingError:
    return RecordingError(f"{path}, line {line}: {problem}", _REMEDY)


def _trace(name: str, columns: dict[str, Numbers], wake: npt.NDArray[np.object_]) -> IdleTrace:
    event_ns = columns["next_hrtimer_ns"].clip(0, LONGEST_NS)
    nontick_ns = columns.get("next_nontick_hrtimer_ns")
    state = columns.get("state")
    waiters, load = columns.get("iowaiters"), columns.get(LOAD)
    return IdleTrace(
        name=name,
        cpu=columns["cpu"],
        t_entry_ns=columns["t_entry_ns"],
        idle_ns=columns["idle_ns"],
        next_timer_ns=event_ns if nontick_ns is None else nontick_ns.clip(0, LONGEST_NS),
        next_event_ns=None if nontick_ns is None else event_ns,
        wake=wake,
        entered=None if state is None else state.astype(np.uint8),
        io_waiters=waiters,
        load=load,
    )
