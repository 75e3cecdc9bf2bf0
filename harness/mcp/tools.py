"""The tools of the server: their arguments, and the command of stallscope that answers a call.

Every tool is one command with --brief. An argument is a number in a range, or follows a pattern
that no option and no path to another directory matches.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from stallscope.errors import UsageError

RECORDING_PATTERN = r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$(?!\n)"
FREQUENCY_HZ = 199  # of CPU samples; switches are recorded too
MAX_SIZE_MIB = 256  # of a recording
LINES = 100  # hottest addresses whose source lines are looked up

RecordingName = Annotated[
    str, Meta(pattern=RECORDING_PATTERN, description="Name of a recording in the directory.")
]


class _Arguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of a call."""


class RecordArguments(_Arguments, frozen=True, kw_only=True):
    """A process to record."""

    pid: Annotated[int, Meta(ge=1, le=2**22, description="Process to attach to.")]
    duration_s: Annotated[float, Meta(ge=0.1, le=3600, description="Duration in seconds.")] = 5.0
    name: RecordingName | None = None


class RecordingArguments(_Arguments, frozen=True, kw_only=True):
    """A recording to analyze."""

    recording: RecordingName


class CallersArguments(_Arguments, frozen=True, kw_only=True):
    """A function of a recording."""

    recording: RecordingName
    function: Annotated[
        str, Meta(min_length=1, max_length=4096, description="Name of a function, or part of it.")
    ]


class DiffArguments(_Arguments, frozen=True, kw_only=True):
    """Two recordings."""

    before: RecordingName
    after: RecordingName


class Tool(Struct, frozen=True):
    """A tool with its description and the type of its arguments."""

    name: str
    description: str
    arguments: type[_Arguments]

    def input_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the arguments, without references."""
        schema = msgspec.json.schema(self.arguments)
        kind: dict[str, Any] = schema["$defs"][self.arguments.__name__]
        kind.pop("title", None)
        return kind


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "record",
            "Record a running process: CPU samples, context switches and wake-ups. Returns the "
            "name of the recording for the other tools. Then call source_lines for the hottest "
            "functions and lines, or diagnose for what limits the process.",
            RecordArguments,
        ),
        Tool(
            "diagnose",
            "What limits the process, in order of the wall time it costs: cause, evidence, "
            "place, what to try, largest gain, confidence.",
            RecordingArguments,
        ),
        Tool(
            "top_functions",
            "Functions with most CPU time (self_share, total_share) and the threads.",
            RecordingArguments,
        ),
        Tool(
            "callers",
            "Callers and callees of a function, with shares of its time, and its source lines.",
            CallersArguments,
        ),
        Tool(
            "source_lines",
            "Hottest source lines (file, line, self and total) and functions, most samples first.",
            RecordingArguments,
        ),
        Tool(
            "diff",
            "What changed between two recordings beyond their noise.",
            DiffArguments,
        ),
    )
}


def parse_arguments(tool: Tool, arguments: dict[str, Any]) -> _Arguments:
    """Return the validated arguments. Raises UsageError with the path of a wrong one."""
    try:
        return msgspec.convert(arguments, tool.arguments)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{tool.name}: {error}", "the tool's schema describes its arguments"
        ) from error


def command_words(arguments: _Arguments, tool: str, new_name: str) -> list[str]:
    """Return the command of stallscope that answers a call, without the program.

    ``new_name``: name of the recording that ``record`` makes.
    """
    match arguments:
        case RecordArguments(pid=pid, duration_s=duration_s):
            limits = [
                "-F",
                str(FREQUENCY_HZ),
                "-d",
                f"{duration_s:g}",
                "--max-size",
                str(MAX_SIZE_MIB),
            ]
            return ["record", "--waits", "-p", str(pid), *limits, "-o", new_name, "--brief"]
        case CallersArguments(recording=recording, function=function):
            return ["callers", "--brief", "--", recording, function]
        case DiffArguments(before=before, after=after):
            return ["diff", before, after, "--brief"]
        case RecordingArguments(recording=recording):
            if tool == "diagnose":
                return ["diagnose", recording, "--brief"]
            words = ["report", recording, "--weight", "cpu", "--no-page", "--brief"]
            return [*words, "--lines", str(LINES)] if tool == "source_lines" else words
    raise UsageError(f"{tool} takes other arguments", "the tool's schema describes them")


def recordings_of(arguments: _Arguments) -> tuple[str, ...]:
    """Return the names of existing recordings in a call."""
    match arguments:
        case RecordingArguments(recording=name) | CallersArguments(recording=name):
            return (name,)
        case DiffArguments(before=before, after=after):
            return (before, after)
    return ()
