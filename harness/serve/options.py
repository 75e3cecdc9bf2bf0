"""Options of `stallscope serve` from the command line."""

from pathlib import Path
from typing import Any

from harness.workload.options import ServerOptions
from ioprobe.curve.io_properties import read_rates
from stallscope.errors import UsageError


def serve_options(stages: str, values: dict[str, Any]) -> ServerOptions:
    """Return the server's options; raises UsageError for an invalid value."""
    io_properties: Path | None = values["io_properties"]
    rest = {name: value for name, value in values.items() if name != "io_properties"}
    if io_properties is None:
        return ServerOptions(stages=stages == "on", **rest)
    if values["path"] != "disk":
        raise UsageError("--io-properties requires --path disk", "add --path disk")
    rates = read_rates(io_properties)
    return ServerOptions(stages=stages == "on", disk_rates=rates.argument(), **rest)
