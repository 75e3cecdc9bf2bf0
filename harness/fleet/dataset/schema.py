"""The tables of the data set, version 1: one Parquet file per table and recording.

Path of a file: ``dataset-1/TABLE/host=HOST/hour=2026-11-28T08/RECORDING.parquet``. A change of a
column's meaning is a new version, in another folder. Times are nanoseconds since 1970.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

VERSION = 1
FOLDER = f"dataset-{VERSION}"
# Columns with their Arrow type; "name" is a dictionary-encoded string.
TABLES = {
    # One row, written last: a part without it is built again.
    "recordings": {
        "begin_ns": "int64",
        "end_ns": "int64",
        "kind": "name",
        "samples": "int64",
        "lost": "int64",
    },
    # Weight by process and stack; ``stack`` is the key of the table stacks.
    "samples": {
        "begin_ns": "int64",
        "end_ns": "int64",
        "event": "name",
        "unit": "name",
        "process": "name",
        "stack": "int64",
        "samples": "int64",
        "value": "int64",
    },
    # Call chains, outermost function first. The key is a hash of the names: equal on all hosts.
    "stacks": {"stack": "int64", "functions": "names", "modules": "names"},
    # Wall time by group of threads and state.
    "waits": {
        "begin_ns": "int64",
        "end_ns": "int64",
        "process": "name",
        "group": "name",
        "threads": "int64",
        "state": "name",
        "time_ns": "int64",
    },
    # An HdrHistogram V2 (base64) of each log of intervals.
    "latency": {"begin_ns": "int64", "end_ns": "int64", "log": "name", "histogram": "string"},
    # Share of slots by node (0..1), and cycles, the weight of a mean; null: not counted.
    "slots": {
        "begin_ns": "int64",
        "end_ns": "int64",
        "cpu": "name",
        "kind": "name",
        "node": "name",
        "value": "float64",
        "cycles": "float64",
    },
}


def arrow_schema(table: str) -> "pa.Schema":
    """Return the Arrow schema of a table."""
    import pyarrow as pa  # noqa: PLC0415 - an optional extra

    name = pa.dictionary(pa.int32(), pa.string())
    types = {
        "int64": pa.int64(),
        "float64": pa.float64(),
        "string": pa.string(),
        "name": name,
        "names": pa.list_(pa.string()),
    }
    fields = [pa.field(column, types[kind]) for column, kind in TABLES[table].items()]
    return pa.schema(fields, metadata={"stallscope.fleet": str(VERSION)})
