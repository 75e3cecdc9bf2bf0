"""Options of `stallscope load` from the command line."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.cli.outputs import default_directory
from harness.load.rates.options import RatesOptions, rates_of
from harness.page.pictures import split_outputs
from harness.workload.options import LoadOptions
from stallscope.errors import UsageError


@dataclass(frozen=True, slots=True)
class LoadCommandOptions:
    """The loader's options, and where the results go."""

    load: LoadOptions
    pictures: tuple[Path, ...]
    force: bool


def load_options(
    target: str, outputs: Sequence[Path], values: dict[str, Any], *, force: bool
) -> LoadCommandOptions:
    """Return the options; raises UsageError for a missing target or an invalid output."""
    if not target:
        raise UsageError(
            "TARGET is missing: the server to load, such as 127.0.0.1:7379 or unix:PATH",
            "start one with `stallscope serve` in another terminal, then: "
            "stallscope load 127.0.0.1:7379",
        )
    directory, pictures = split_outputs(outputs)
    load = LoadOptions(
        target=target,
        output=directory or default_directory("load"),
        duration_s=values.pop("duration"),
        warmup_s=values.pop("warmup"),
        rate_per_s=values.pop("rate"),
        **values,
    )
    return LoadCommandOptions(load, pictures, force)


def rates_options(options: LoadCommandOptions, rates: str, rounds: int) -> RatesOptions:
    """Return the options of --rates; raises UsageError for options that do not apply to it."""
    unsupported = {
        "--rate": options.load.open_loop,
        "--think-us": options.load.think_us is not None,
        "--check": options.load.check,
        "--force": options.force,
        "-o with a picture": bool(options.pictures),
    }
    for option, is_set in unsupported.items():
        if is_set:
            raise UsageError(f"{option} does not apply to --rates", f"remove {option}, or --rates")
    return RatesOptions(options.load, rates_of(rates), rounds)
