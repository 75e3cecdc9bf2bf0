"""Validated options of `stallscope topdown`."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from harness.cli.outputs import check_place
from harness.cli.recording_options import TargetChoice, choice
from harness.page.pictures import FORMATS
from stallscope.errors import UsageError

REPLAY = "replay:"
MIN_INTERVAL_MS = 50
MAX_INTERVAL_MS = 3_600_000
PAGE = "html"
# Endings of files, not of directories.
FILE_ENDINGS = ("json", "csv", "txt", "pdf", "jpg", "jpeg", "gif", "webp", "xml")


class SlotSource(StrEnum):
    """The source of the numbers."""

    AUTO = "auto"
    PMU = "pmu"
    MODEL = "model"
    REPLAY = "replay"
    RECORDING = "recording"  # a recording of counters, with windows


class OutputForm(StrEnum):
    """The form of the output."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class TopdownOptions:
    """Validated options; ``choice`` is None if no target is observed."""

    source: SlotSource
    file: Path | None  # to replay
    choice: TargetChoice | None
    form: OutputForm
    level: int | None = None
    interval_ms: int | None = None
    runs: int = 1
    drill: bool = False
    multiplex: bool = True
    events: tuple[str, ...] = ()
    cpu: str = ""
    output: Path | None = None
    force: bool = False
    model_timeout_s: float | None = None

    @property
    def directory(self) -> Path | None:
        """Return the directory of the recording, or None if it is not kept."""
        return None if self.picture or self.page else self.output

    @property
    def picture(self) -> str:
        """Return the format of the picture that -o names, or an empty string."""
        ending = _ending(self.output)
        return ending if ending in FORMATS else ""

    @property
    def page(self) -> bool:
        """Return whether -o names a page."""
        return _ending(self.output) == PAGE


def _ending(output: Path | None) -> str:
    return "" if output is None else output.suffix.removeprefix(".").lower()


def topdown_options(values: dict[str, Any]) -> TopdownOptions:
    """Return the validated options. Raises UsageError for options that exclude each other."""
    if values["as_json"] and values["as_csv"]:
        raise UsageError("--json and --csv exclude each other", "keep one of them")
    source, file = _source(values["source"])
    set_options = dict(_set_options(values))
    _check_source(source, set_options)
    target = (
        None if source in (SlotSource.REPLAY, SlotSource.RECORDING) else choice(values, "topdown")
    )
    if source is SlotSource.MODEL and target is not None and not target.command:
        raise UsageError(
            "--source model runs a program under simulation, not a running process",
            "name a command: stallscope topdown --source model -- CMD; for a running process, "
            "stallscope profile -p PID samples its CPU time",
        )
    interval_ms = values["interval_ms"]
    if interval_ms is not None:
        _check_interval(interval_ms)
    options = TopdownOptions(
        source,
        file,
        target,
        OutputForm.JSON
        if values["as_json"]
        else OutputForm.CSV
        if values["as_csv"]
        else OutputForm.TEXT,
        level=values["level"],
        interval_ms=interval_ms,
        runs=values["runs"] or 1,
        drill=values["drill"],
        multiplex=values["multiplex"],
        events=tuple(values["events"]),
        cpu=values["cpu"],
        output=values["output"],
        force=values["force"],
        model_timeout_s=values["model_timeout"],
    )
    _check_output(options)
    return options


def _check_output(options: TopdownOptions) -> None:
    """Raise UsageError if -o names an output that these options cannot produce."""
    if options.picture and options.interval_ms is None:
        raise UsageError(
            f"-o {options.output}: a picture needs intervals",
            "add -I 100, or name a directory for the recording",
        )
    folder = None if options.output is None else options.output.absolute().parent
    if folder is not None and not folder.is_dir():
        raise UsageError(f"-o {options.output}: no such directory: {folder}", "create it first")
    if _ending(options.output) in FILE_ENDINGS:
        raise UsageError(
            f"-o {options.output}: unsupported file format",
            "name a directory, or a file ending in .html, .svg or .png; --json and --csv print to "
            "stdout",
        )
    if options.output is not None and options.directory is None:
        check_place(options.output)
    if options.directory is None or options.source not in (SlotSource.RECORDING, SlotSource.MODEL):
        return
    if options.source is SlotSource.RECORDING:
        raise UsageError(
            f"-o {options.output}: the recording exists already",
            "for a plot of its intervals: -I 100 -o plot.svg",
        )
    raise UsageError(
        f"-o {options.output}: the model produces no recording", "for a page: -o page.html"
    )


def _source(text: str) -> tuple[SlotSource, Path | None]:
    if text.startswith(REPLAY):
        if text == REPLAY:
            raise UsageError(
                "--source replay: needs a file", "for example --source replay:counts.json"
            )
        path = Path(text.removeprefix(REPLAY))
        return SlotSource.RECORDING if path.is_dir() else SlotSource.REPLAY, path
    if text in (SlotSource.AUTO, SlotSource.PMU, SlotSource.MODEL):
        return SlotSource(text), None
    raise UsageError(f"unknown source {text[:80]!r}", "use auto, pmu, model or replay:FILE")


def _set_options(values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield spelling and group of the set options that not every source supports."""
    for key, spelling, group in (
        ("pids", "-p", "target"),
        ("system_wide", "-a", "target"),
        ("cpus", "-C", "target"),
        ("cgroup", "-G", "target"),
        ("words", "-- CMD", "target"),
        ("duration", "--duration", "duration"),
        ("interval_ms", "-I", "intervals"),
        ("runs", "--repeat", "counting"),
        ("drill", "--drill", "counting"),
        ("events", "-e", "counting"),
        ("output", "-o", "output"),
        ("model_timeout", "--model-timeout", "simulation"),
        ("cpu", "--cpu", "cpu"),
    ):
        if values[key] not in (None, (), "", False):
            yield spelling, group
    if not values["multiplex"]:
        yield "--no-multiplex", "counting"


def _check_source(source: SlotSource, set_options: dict[str, str]) -> None:
    """Raise UsageError for an option that the source does not support."""
    unsupported = {
        SlotSource.REPLAY: ("target", "duration", "counting", "intervals", "output", "simulation"),
        SlotSource.RECORDING: ("target", "duration", "counting", "simulation"),
        SlotSource.MODEL: ("duration", "counting", "intervals"),
    }.get(source, ("simulation",))
    name = SlotSource.REPLAY if source is SlotSource.RECORDING else source  # as on the command line
    for spelling, group in set_options.items():
        if group in unsupported:
            raise UsageError(
                f"{spelling} has no effect with --source {name}, which "
                f"{'simulates' if group == 'simulation' else 'counts'} nothing",
                f"omit {spelling}, or choose --source "
                f"{'model' if group == 'simulation' else 'pmu'}",
            )
    if "--repeat" in set_options and "-I" in set_options:
        raise UsageError(
            "-I and --repeat exclude each other: intervals of several runs are not aligned",
            "keep one of them",
        )


def _check_interval(interval_ms: int) -> None:
    if interval_ms < MIN_INTERVAL_MS:
        raise UsageError(
            f"-I {interval_ms} is too short for multiplexed counters",
            f"use -I {MIN_INTERVAL_MS} or more",
        )
    if interval_ms > MAX_INTERVAL_MS:
        raise UsageError(f"-I {interval_ms} is too long", f"use at most {MAX_INTERVAL_MS} ms")
