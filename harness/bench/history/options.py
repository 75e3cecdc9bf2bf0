"""Options of `stallscope bench history`."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryOptions:
    """The directory, the file of results to add, and the outputs beside the text."""

    directory: Path
    added: str | None = None
    label: str = ""
    github: bool = False
    junit: Path | None = None
    fail_if_worse: bool = False
