"""What `stallscope topdown` was asked for, checked: options that contradict are refused here."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from harness.cli.recording_options import Choice, choice
from harness.page.pictures import FORMATS
from stallscope.errors import UsageError

REPLAY = "replay:"
SHORTEST_INTERVAL_MS = 50
LONGEST_INTERVAL_MS = 3_600_000
PAGE = "html"
# Endings of files that nobody means a directory by.
NO_DIRECTORY = ("json", "csv", "txt", "pdf", "jpg", "jpeg", "gif", "webp", "xml")


class Source(StrEnum):
    """Where the numbers are to come from."""

    AUTO = "auto"
    PMU = "pmu"
    MODEL = "model"
    REPLAY = "replay"
    RECORDING = "recording"  # replayed too, of our own counters with their windows


class Form(StrEnum):
    """What is printed."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class Request:
    """One checked command line; ``choice`` is None where nothing is to be observed."""

    source: Source
    file: Path | None  # of a replay
    choice: Choice | None
    form: Form
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
        """Return where the recording is to be kept; None where it is not."""
        return None if self.picture or self.page else self.output

    @property
    def picture(self) -> str:
        """Return the format of the picture that -o asks for; empty where it asks for none."""
        ending = _ending(self.output)
        return ending if ending in FORMATS else ""

    @property
    def page(self) -> bool:
        """Return whether -o asks for a page."""
        return _ending(self.output) == PAGE


def _ending(output: Path | None) -> str:
    return "" if output is None else output.suffix.removeprefix(".").lower()


def request(values: dict[str, Any]) -> Request:
    """Return the checked request; UsageError where options exclude each other."""
    if values["as_json"] and values["as_csv"]:
        raise UsageError("--json and --csv exclude each other", "keep one of them")
    source, file = _source(values["source"])
    given = dict(_given(values))
    _check_fit(source, given)
    chosen = None if source in (Source.REPLAY, Source.RECORDING) else choice(values, "topdown")
    if source is Source.MODEL and chosen is not None and not chosen.command:
        raise UsageError(
            "--source model runs a program under simulation: it cannot look at what runs already",
            "name a command: stallscope topdown --source model -- CMD; for a running process "
            "stallscope profile -p PID samples where its time goes",
        )
    interval_ms = values["interval_ms"]
    if interval_ms is not None:
        _check_interval(interval_ms)
    found = Request(
        source,
        file,
        chosen,
        Form.JSON if values["as_json"] else Form.CSV if values["as_csv"] else Form.TEXT,
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
    _check_output(found)
    return found


def _check_output(found: Request) -> None:
    """Raise UsageError where -o names what cannot be made of this request."""
    if found.picture and found.interval_ms is None:
        raise UsageError(
            f"-o {found.output}: a picture is of intervals, and none are asked for",
            "add -I 100, or name a directory to keep the recording in",
        )
    folder = None if found.output is None else found.output.absolute().parent
    if folder is not None and not folder.is_dir():
        raise UsageError(f"-o {found.output}: there is no directory {folder}", "make it first")
    if _ending(found.output) in NO_DIRECTORY:
        raise UsageError(
            f"-o {found.output}: no such file is made",
            "name a directory, or a file in .html, .svg or .png; --json and --csv go to stdout",
        )
    if found.directory is None or found.source not in (Source.RECORDING, Source.MODEL):
        return
    if found.source is Source.RECORDING:
        raise UsageError(
            f"-o {found.output}: the recording is kept already",
            "for a plot of its intervals: -I 100 -o plot.svg",
        )
    raise UsageError(f"-o {found.output}: the model makes no recording", "for a page: -o page.html")


def _source(text: str) -> tuple[Source, Path | None]:
    if text.startswith(REPLAY):
        if text == REPLAY:
            raise UsageError("--source replay: names no file", "as --source replay:counts.json")
        path = Path(text.removeprefix(REPLAY))
        return Source.RECORDING if path.is_dir() else Source.REPLAY, path
    if text in (Source.AUTO, Source.PMU, Source.MODEL):
        return Source(text), None
    raise UsageError(
        f"--source {text[:80]!r} is none that is there", "auto, pmu, model or replay:FILE"
    )


def _given(values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the options that were given and that not every source knows, each with its group."""
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


def _check_fit(source: Source, given: dict[str, str]) -> None:
    """Raise UsageError where an option means nothing for the source."""
    foreign = {
        Source.REPLAY: ("target", "duration", "counting", "intervals", "output", "simulation"),
        Source.RECORDING: ("target", "duration", "counting", "simulation"),
        Source.MODEL: ("duration", "counting", "intervals"),
    }.get(source, ("simulation",))
    name = Source.REPLAY if source is Source.RECORDING else source  # as it is spelled
    for spelling, group in given.items():
        if group in foreign:
            raise UsageError(
                f"{spelling} means nothing with --source {name}: "
                f"nothing is {'simulated' if group == 'simulation' else 'counted'} there",
                f"leave {spelling} out, or choose --source "
                f"{'model' if group == 'simulation' else 'pmu'}",
            )
    if "--repeat" in given and "-I" in given:
        raise UsageError(
            "-I and --repeat exclude each other: intervals of several runs do not line up",
            "keep one of them",
        )


def _check_interval(interval_ms: int) -> None:
    if interval_ms < SHORTEST_INTERVAL_MS:
        raise UsageError(
            f"-I {interval_ms} is too short: counters take turns, and an interval holds too few of "
            f"them below {SHORTEST_INTERVAL_MS} ms",
            f"-I {SHORTEST_INTERVAL_MS} or more",
        )
    if interval_ms > LONGEST_INTERVAL_MS:
        raise UsageError(
            f"-I {interval_ms} is too long", f"milliseconds, at most {LONGEST_INTERVAL_MS}"
        )
