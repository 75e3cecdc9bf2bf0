"""A query over the recordings of fleets: builds missing parts, and maps a function over a table."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from harness.fleet.dataset.build import build_part, recordings_of
from harness.fleet.dataset.parts import Part, check_pyarrow, find_parts
from harness.fleet.engine import map_parts
from harness.fleet.result import MissingPart
from stallscope.errors import OutputError, RecordingError, UsageError
from stallscope.output_place import open_place

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """Directories of fleets, the period, where the query runs, and the places of debug files."""

    directories: tuple[Path, ...]
    scheduler: str | None = None  # None: in this process
    begin: str | None = None  # hours as in the data set: 2026-11-28T08
    end: str | None = None  # inclusive
    places: SymbolPlaces = DEFAULT_PLACES

    def __post_init__(self) -> None:
        """Raise UsageError if a directory does not exist."""
        for directory in self.directories:
            if not directory.is_dir():
                raise UsageError(
                    f"there is no directory {directory}",
                    "name the directory of stallscope fleet record",
                )
            if not os.access(directory, os.R_OK | os.X_OK):
                raise UsageError(
                    f"cannot read {directory}: Permission denied",
                    "name a directory that this user may read",
                )
        for option, hour in (("--from", self.begin), ("--to", self.end)):
            if hour is not None and not _is_hour(hour):
                raise UsageError(
                    f"{option} {hour} is not a day or an hour", "write 2026-11-28 or 2026-11-28T08"
                )
        if self.begin and self.end and self.begin[: len(self.end)] > self.end:
            raise UsageError(
                f"--from {self.begin} is after --to {self.end}", "give the earlier hour to --from"
            )


def _is_hour(text: str) -> bool:
    """Return whether a text is a day, 2026-11-28, or an hour, 2026-11-28T08."""
    for pattern in ("%Y-%m-%d", "%Y-%m-%dT%H"):
        try:
            if datetime.strptime(text, pattern).strftime(pattern) == text:
                return True
        except ValueError:
            continue
    return False


# The commands whose recordings have a table.
_COMMANDS = {
    "samples": "`stallscope record`",
    "waits": "`stallscope waits`",
    "latency": "`stallscope load`",
    "slots": "`stallscope topdown -o`",
}


@dataclass(frozen=True, slots=True)
class QueryValues(Generic[Value]):
    """Values by part, the hosts that have one, what is missing, and failed downloads."""

    values: tuple[Value, ...]
    hosts: int
    missing: tuple[MissingPart, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Building:
    """Recordings without a part, and why debug files of others were not downloaded."""

    missing: tuple[MissingPart, ...] = ()
    warnings: tuple[str, ...] = ()


def query(
    options: QueryOptions, table: str, function: Callable[[Part], Value]
) -> QueryValues[Value]:
    """Return the function's value for each part of a table.

    Raises RecordingError if no part has a value, UnableError without pyarrow.
    """
    check_pyarrow()
    directories = [directory.absolute() for directory in options.directories]
    built = [_build(root, options) for root in directories]
    missing = [part for building in built for part in building.missing]
    warnings = tuple(text for building in built for text in building.warnings)
    all_parts = find_parts(directories, table)
    if not all_parts and not missing and not any(map(recordings_of, directories)):
        raise RecordingError(
            f"there is no recording in {', '.join(map(str, options.directories))}",
            "name the directory of stallscope fleet record; recordings are in DIR/HOST",
        )
    parts = [
        part
        for part in all_parts
        if (options.begin or "") <= part.hour[: len(options.begin or "")]
        and (options.end is None or part.hour[: len(options.end)] <= options.end)
    ]
    results = map_parts(function, parts, options.scheduler)
    lost = {failure.position for failure in results.failures}
    missing += [
        MissingPart(part=parts[failure.position].text, error=failure.error)
        for failure in results.failures
    ]
    if not results.values:
        reasons = f": {missing[0].part}: {missing[0].error}" if missing else ""
        raise RecordingError(
            f"no recording has the table {table}{reasons}",
            f"put recordings of {_COMMANDS[table]} into DIR/HOST",
        )
    hosts = {part.host for position, part in enumerate(parts) if position not in lost}
    return QueryValues(results.values, len(hosts), tuple(missing), warnings)


def _build(root: Path, options: QueryOptions) -> _Building:
    """Build the parts of new recordings."""
    recordings = recordings_of(root)
    if not recordings:
        return _Building()
    try:
        with open_place(root):
            pass
    except OSError as error:
        raise OutputError(
            f"cannot write the data set of {root}: {error.strerror}",
            "query it as the user that the directory belongs to",
        ) from error
    results = map_parts(
        partial(build_part, root, places=options.places), recordings, options.scheduler
    )
    return _Building(
        tuple(
            MissingPart(
                part=str(recordings[failure.position].relative_to(root)), error=failure.error
            )
            for failure in results.failures
        ),
        tuple(f"{built.part.host}: {text}" for built in results.values for text in built.warnings),
    )
