"""The parts of a data set: one recording each; written once, read by table."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

from harness.fleet.dataset.schema import FOLDER, TABLES, VERSION, arrow_schema
from stallscope.errors import RecordingError, UnableError

if TYPE_CHECKING:
    import pandas as pd

Columns = Mapping[str, Sequence[object]]
_STATE = "-"  # between identity and state


@dataclass(frozen=True, slots=True)
class Part:
    """A recording in a data set: its host, hour and name. ``root`` is the fleet's directory.

    ``name``: identity and state of the recording, which changes while it is written, and the
    places of debug files, if some were named.
    """

    root: str
    host: str
    hour: str
    name: str

    @property
    def text(self) -> str:
        """Return the part for messages."""
        return f"{self.host} {self.hour} {self.name}"

    @property
    def recording(self) -> str:
        """Return the identity of the recording, whatever its state is."""
        return self.name.partition(_STATE)[0]

    def path(self, table: str) -> Path:
        """Return the path of the part's file of a table."""
        folder = Path(self.root, FOLDER, table, f"host={self.host}", f"hour={self.hour}")
        return folder / f"{self.name}.parquet"


def hour_of(time_ns: int) -> str:
    """Return the hour of a time in nanoseconds since 1970, as UTC: 2026-11-28T08."""
    return f"{datetime.fromtimestamp(time_ns / 1e9, UTC):%Y-%m-%dT%H}"


def check_pyarrow() -> None:
    """Raise UnableError if pyarrow is not installed."""
    try:
        import pyarrow  # noqa: F401, ICN001, PLC0415 - an optional extra
    except ImportError as error:
        raise UnableError(
            "a data set of many hosts needs pyarrow, which is not installed",
            "pip install 'stallscope[fleet]'",
        ) from error


def write_part(part: Part, tables: Mapping[str, Columns]) -> None:
    """Write the tables of a part; a file gets its name when it is complete."""
    import pyarrow as pa  # noqa: PLC0415 - an optional extra
    import pyarrow.parquet as pq  # noqa: PLC0415

    for table, columns in tables.items():
        path = part.path(table)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = pa.table(dict(columns), schema=arrow_schema(table))
        unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
        pq.write_table(content, unfinished, compression="zstd")
        unfinished.replace(path)


def built_part(part: Part) -> Part | None:
    """Return the complete part, also of the same state with debug files; None if there is none."""
    path = part.path("recordings")
    if path.exists():
        return part
    others = sorted(path.parent.glob(f"{escape(path.stem)}{_STATE}*{path.suffix}"))
    return replace(part, name=others[0].stem) if others else None


def remove_other_parts(part: Part, keep: Part | None = None) -> None:
    """Remove the parts of the same recording; ``keep``: except this one."""
    pattern = f"*/host={escape(part.host)}/hour=*/{part.recording}{_STATE}*.parquet"
    for path in Path(part.root, FOLDER).glob(pattern):
        table = path.parents[2].name
        if keep is None or path != keep.path(table):
            path.unlink(missing_ok=True)


def find_parts(roots: Sequence[Path], table: str) -> tuple[Part, ...]:
    """Return the parts of a table below directories of fleets, in the order of their paths."""
    return tuple(part for root in roots for part in _parts(root, table))


def _parts(root: Path, table: str) -> Iterator[Part]:
    for path in sorted((root / FOLDER / table).glob("host=*/hour=*/*.parquet")):
        if not path.name.startswith("."):
            host, hour = path.parent.parent.name, path.parent.name
            yield Part(str(root), host.removeprefix("host="), hour.removeprefix("hour="), path.stem)


def read_table(part: Part, table: str) -> "pd.DataFrame":
    """Return a table of a part; RecordingError if it is damaged or of another version."""
    import pyarrow as pa  # noqa: PLC0415 - an optional extra
    import pyarrow.parquet as pq  # noqa: PLC0415

    path = part.path(table)
    remedy = f"remove it: it is built again from the recording of {part.host}"
    try:
        content = pq.ParquetFile(path).read()
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0][:200]
        raise RecordingError(f"{path} cannot be read: {reason}", remedy) from error
    version = (content.schema.metadata or {}).get(b"stallscope.fleet", b"")
    missing = set(TABLES[table]) - set(content.column_names)
    if version != str(VERSION).encode() or missing:
        raise RecordingError(f"{path} is not of version {VERSION} of the data set", remedy)
    frame: pd.DataFrame = content.to_pandas()
    return frame
