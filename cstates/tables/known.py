"""Tables from CSV: the known tables beside this file, and user files."""

import csv
import difflib
import io
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from cstates.tables.state_table import (
    LARGEST_US,
    DeclaredState,
    StateTable,
    checked_table,
    with_polling,
)
from stallscope.errors import UsageError
from stallscope.regular_file import read_named_file

KNOWN_FILE = "known_states.csv"
LARGEST_FILE_BYTES = 2**20
COLUMNS = ("name", "exit_latency_us", "target_residency_us")
_REMEDY = "a table is CSV with the columns name,exit_latency_us,target_residency_us"


def known_table_names() -> tuple[str, ...]:
    """Return the names of the known tables."""
    return tuple(_known_rows())


def load_table(name: str) -> StateTable:
    """Return a known table by its name or the part after the colon, or the table of a CSV file.

    POLL is added to a known table without it, as the kernel does. Raises UsageError if the table
    is unknown or its states are invalid.
    """
    if name.endswith(".csv"):
        return read_table(Path(name))
    rows = _known_rows()
    tails = [full for full in rows if full.partition(":")[2] == name]
    full = name if name in rows else tails[0] if len(tails) == 1 else None
    if full is None:
        raise _unknown(name, tuple(rows))
    return with_polling(_table(full, rows[full], "known states"))


def _unknown(name: str, known: tuple[str, ...]) -> UsageError:
    places = {full.partition(":")[2]: full for full in known} | {full: full for full in known}
    near = [places[match] for match in difflib.get_close_matches(name, places, n=3, cutoff=0.4)]
    remedy = f"similar names: {', '.join(dict.fromkeys(near))}; " if near else ""
    return UsageError(
        f"unknown table {name!r}",
        f"{remedy}list all: stallscope cstates simulate --list; the name of a file ends in .csv",
    )


@cache
def _known_rows() -> dict[str, list[dict[str, str]]]:
    text = (resources.files(__package__) / KNOWN_FILE).read_text(encoding="utf-8")
    tables: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        tables.setdefault(row["table"], []).append(row)
    return tables


def read_table(path: Path) -> StateTable:
    """Return the table of a CSV file; UsageError if it is invalid."""
    content = read_named_file(path, LARGEST_FILE_BYTES, _REMEDY)
    text = content.decode("utf-8-sig", "replace")
    try:
        reader = csv.DictReader(io.StringIO(text), strict=True)
        absent = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
        if absent:
            raise UsageError(f"{path} has no column {', '.join(absent)}", _REMEDY)
        rows = list(reader)
    except csv.Error as error:
        raise UsageError(f"{path} is not CSV: {error}", _REMEDY) from error
    names = {row.get("table") or "" for row in rows}
    if len(names) > 1:
        raise UsageError(f"{path} has {len(names)} tables", "write one table per file")
    return _table(str(path), rows, str(path))


def _table(name: str, rows: Iterable[Mapping[str, str]], where: str) -> StateTable:
    listed = list(rows)
    first = listed[0] if listed else {}
    return checked_table(
        StateTable(
            name=name,
            cpu=first.get("cpu") or "",
            driver=first.get("driver") or "",
            source=first.get("source") or where,
            states=tuple(_state(row, f"{where}, row {n}") for n, row in enumerate(listed, 1)),
        )
    )


def _state(row: Mapping[str, str], where: str) -> DeclaredState:
    name = (row.get("name") or "").strip()
    if not name or not name.isprintable() or len(name) > 64:
        raise UsageError(f"{where}: {name!r} is not a state name", _REMEDY)
    return DeclaredState(
        name=name,
        description=row.get("desc") or "",
        exit_latency_us=_microseconds(row, "exit_latency_us", where),
        target_residency_us=_microseconds(row, "target_residency_us", where),
        enabled=row.get("default_status") != "disabled",
    )


def _microseconds(row: Mapping[str, str], column: str, where: str) -> int:
    text = (row.get(column) or "").strip()
    if not (text.isascii() and text.isdecimal() and len(text) < 13 and int(text) <= LARGEST_US):
        raise UsageError(
            f"{where}: {column} is {text!r}, expected whole microseconds from 0 to {LARGEST_US}",
            _REMEDY,
        )
    return int(text)
