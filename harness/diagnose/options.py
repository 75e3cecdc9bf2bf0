"""Validated options of `stallscope diagnose`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from harness.waits.options import waits_options
from stallscope.errors import UsageError

if TYPE_CHECKING:
    from stallscope.collector import CollectorOptions

FREQUENCY_HZ = 99
DURATION_S = 10.0
MAX_COST = 0.05
# Owners of a part of the waits suffice to name the owner; reading all exceeds MAX_COST.
OWNER_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class DiagnoseOptions:
    """What to record, or the recording to diagnose.

    ``page``: None for the default place. ``places``: of debug files.
    """

    collector: "CollectorOptions | None"
    recording: Path | None
    page: Path | None
    as_json: bool
    path: Path | None = None  # directory whose disk is judged
    model: bool = False  # model the slots of a command in further runs
    baseline: Path | None = None  # an earlier recording to compare with
    places: SymbolPlaces = DEFAULT_PLACES


def diagnose_options(values: dict[str, Any]) -> DiagnoseOptions:
    """Return the validated options; raises UsageError for options that exclude each other."""
    options = waits_options({**values, "compared": None}, "diagnose")
    collector = options.collector
    path, model = values.get("path"), bool(values.get("model"))
    baseline = values.get("baseline")
    if collector is None and (path is not None or model):
        raise UsageError(
            "--path and --model are for recording, and a recording is shown",
            "leave the option out: what was measured is in the recording",
        )
    if path is not None and not path.is_dir():
        raise UsageError(f"--path {path} is not a directory", "name the directory of the data")
    if model and collector is not None and not collector.command:
        raise UsageError(
            "--model runs the program again, so that it needs a command",
            "stallscope diagnose --model -- CMD",
        )
    if collector is not None:
        duration_s = collector.duration_s
        if duration_s is None and not collector.command:
            duration_s = DURATION_S
        collector = replace(
            collector,
            frequency_hz=FREQUENCY_HZ,
            duration_s=duration_s,
            max_cost=collector.max_cost or MAX_COST,
            owner_share=OWNER_SHARE,
        )
    return DiagnoseOptions(
        collector,
        options.recording,
        options.page,
        options.as_json,
        path,
        model,
        baseline,
        options.places,
    )
