"""A profile as a table with one row per stack and thread, for CSV and Parquet."""

import io
from typing import TYPE_CHECKING

import pandas as pd

from stallscope.errors import UnableError
from topdown.stacks.formats.thread_stacks import thread_stacks

if TYPE_CHECKING:
    from topdown.stacks.profile import Profile


def stack_frame(profile: "Profile") -> pd.DataFrame:
    """Return columns process, pid, thread, tid, stack, leaf, module, samples, value and unit.

    ``stack``: names from the outermost function to the leaf, divided by ";". ``module``: of the
    leaf. ``value``: in ``unit``.
    """
    names = [function.name.replace(";", ":") for function in profile.functions]
    rows = []
    for stacks in thread_stacks(profile):
        thread = profile.threads[stacks.thread]
        for row in stacks.rows:
            leaf = profile.functions[row.functions[-1]] if row.functions else None
            rows.append(
                (
                    thread.process_name,
                    thread.pid,
                    thread.thread_name,
                    thread.tid,
                    ";".join(names[number] for number in row.functions),
                    leaf.name if leaf is not None else "",
                    leaf.module if leaf is not None else "",
                    row.samples,
                    row.value,
                    profile.source.unit,
                )
            )
    columns = [
        "process",
        "pid",
        "thread",
        "tid",
        "stack",
        "leaf",
        "module",
        "samples",
        "value",
        "unit",
    ]
    return pd.DataFrame(rows, columns=columns)


def parquet_bytes(profile: "Profile") -> bytes:
    """Return the table as a Parquet file; UnableError without pyarrow."""
    buffer = io.BytesIO()
    try:
        stack_frame(profile).to_parquet(buffer, index=False, engine="pyarrow")
    except ImportError as error:
        raise UnableError(
            "Parquet needs pyarrow, which is not installed",
            "pip install 'stallscope[cluster]', or write .csv",
        ) from error
    return buffer.getvalue()
