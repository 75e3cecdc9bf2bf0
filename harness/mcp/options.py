"""The options of `stallscope mcp`."""

from pathlib import Path

from msgspec import Struct


class McpOptions(Struct, frozen=True):
    """Where recordings are, and how long one may take."""

    directory: Path
    max_duration_s: float = 60.0
