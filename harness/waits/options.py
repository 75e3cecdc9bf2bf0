"""Validated options of `stallscope waits`."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.symbol_options import symbol_places
from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from harness.cli.wait_recording_options import recorded_page, wait_collector_options
from harness.profile.period import Period, parse_period
from stallscope.errors import UsageError

if TYPE_CHECKING:
    from stallscope.collector import CollectorOptions

_PERF_MAGIC = re.compile(rb"PERFILE2|2ELIFREP")


@dataclass(frozen=True, slots=True)
class WaitsOptions:
    """What to record, the recording to show, or the two recordings to compare.

    ``graph``: print all causes with their chains. ``page``: of a shown recording; None: the
    default place. ``period``: of a shown recording. ``places``: of debug files.
    """

    collector: "CollectorOptions | None"
    compared: tuple[Path, Path] | None
    as_json: bool
    graph: bool = False
    recording: Path | None = None
    page: Path | None = None
    with_page: bool = True
    period: Period | None = None
    places: SymbolPlaces = DEFAULT_PLACES


def waits_options(values: dict[str, Any], command_name: str = "waits") -> WaitsOptions:
    """Return the validated options. Raises UsageError for options that exclude each other."""
    places = symbol_places((), values.get("debug_directories", ()), values.get("debuginfod", ""))
    return replace(_checked_options(values, command_name), places=places)


def _checked_options(values: dict[str, Any], command_name: str) -> WaitsOptions:
    if values["compared"]:
        if values["pids"] or values["words"] or values["output"] is not None:
            raise UsageError(
                "--compare reads two recordings and excludes a target and -o",
                "stallscope waits --compare ONE-THREAD FOUR-THREADS",
            )
        if values.get("period") is not None or values.get("graph"):
            raise UsageError(
                "--compare excludes --period and --graph",
                "stallscope waits RUN --period FROM-TO shows a period of one recording",
            )
        return WaitsOptions(None, values["compared"], values["as_json"])
    if not values["pids"] and not values["words"]:
        raise UsageError(
            "name a process with -p PID, a command after --, or a recording",
            f"for example: stallscope {command_name} -p $(pidof redis-server)",
        )
    if values["pids"] and values["words"]:
        raise UsageError(
            "-p excludes a command and a recording: name exactly one of them",
            f"for example: stallscope {command_name} -p $(pidof redis-server)",
        )
    words = values["words"]
    if len(words) > 1 and all(map(_recording, words)):
        raise UsageError(
            f"one recording is shown, and {len(words)} are named",
            f"stallscope waits --compare {' '.join(words[:2])}",
        )
    recording = _recording(words[0]) if len(words) == 1 else None
    if recording is not None:
        return _options_to_show(recording, values)
    return _options_to_record(values, command_name)


def _recording(word: str) -> Path | None:
    """Return the path if it is a directory or a perf.data file, which cannot be a command."""
    path = Path(word)
    if path.is_dir():
        return path
    try:
        with path.open("rb") as file:
            return path if _PERF_MAGIC.match(file.read(8)) else None
    except OSError:
        return None


def _options_to_show(recording: Path, values: dict[str, Any]) -> WaitsOptions:
    period = values.get("period")
    return WaitsOptions(
        None,
        None,
        values["as_json"],
        graph=values.get("graph", False),
        recording=recording,
        page=recorded_page(recording, values),
        with_page=not values.get("no_page", False),
        period=None if period is None else parse_period(period),
    )


def _options_to_record(values: dict[str, Any], command_name: str) -> WaitsOptions:
    if values.get("period") is not None:
        raise UsageError(
            "--period shows a part of a recording, and this records a target",
            "record first, then: stallscope waits RUN --period 1.2-1.5",
        )
    if values.get("no_page"):
        raise UsageError(
            "--no-page is for a shown recording; a new one always has its page", "leave it out"
        )
    collector = wait_collector_options(values, command_name)
    return WaitsOptions(collector, None, values["as_json"], graph=values.get("graph", False))
