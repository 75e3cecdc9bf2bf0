"""The conditions of ``--on``, from text to values."""

import difflib
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from stallscope.errors import UsageError
from stallscope.pressure import RESOURCES, PressureThreshold

FORMS = (
    "psi.io>20%",
    "psi.memory.full>5%/4s",
    "psi.cpu>60%",
    "p99>5ms:FILE.hlog",
    "p99>5ms",
    "command:CMD",
    "command>100:CMD",
    "signal",
    "exit",
    "duration",
    "end",
)
# Ends of a recording after which the last seconds are written, by condition.
ENDS = {
    "exit": ("target ended",),
    "duration": ("duration",),
    "end": ("signal", "control closed", "target ended", "duration"),
}
DEFAULT_WINDOW_S = 2.0  # the shortest window that the kernel allows ordinary users
_MAX_WINDOW_S = 3600.0

_NUMBER = r"(\d+(?:\.\d+)?)"
_PSI = re.compile(
    rf"psi[.:]\s*(\w+)(?:[.:\s]\s*(\w+))?\s*>\s*{_NUMBER}\s*%(?:\s*(?:/|over)\s*{_NUMBER}\s*s)?"
)
_PERCENTILE = re.compile(rf"p{_NUMBER}\s*>\s*{_NUMBER}\s*(ns|us|ms|s)\s*(?:[:@]\s*(\S.*))?")
_COMMAND = re.compile(rf"command\s*(?:>\s*{_NUMBER}\s*)?:\s*(\S.*)")
_UNIT_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


@dataclass(frozen=True, slots=True)
class SignalCondition:
    """SIGUSR1 to the recorder."""

    text: str = "signal"


@dataclass(frozen=True, slots=True)
class EndCondition:
    """An end of the recording after which the last seconds are written."""

    text: str
    ends: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PressureCondition:
    """Pressure above a threshold."""

    text: str
    threshold: PressureThreshold


@dataclass(frozen=True, slots=True)
class LatencyCondition:
    """A percentile above a limit, in an interval of an HdrHistogram log that grows."""

    text: str
    percentile: float
    limit_ns: float
    log: Path


@dataclass(frozen=True, slots=True)
class RequestCondition:
    """A percentile above a limit, of requests that the target marks."""

    text: str
    percentile: float
    limit_ns: int


@dataclass(frozen=True, slots=True)
class CommandCondition:
    """A command that succeeds, or prints a number above a limit in its last line."""

    text: str
    words: tuple[str, ...]
    limit: float | None


Condition = (
    SignalCondition
    | EndCondition
    | PressureCondition
    | LatencyCondition
    | RequestCondition
    | CommandCondition
)


def parse_condition(text: str) -> Condition:
    """Return the condition of one ``--on``; UsageError names the nearest valid form."""
    word = text.strip()
    if word == "signal":
        return SignalCondition()
    if word in ENDS:
        return EndCondition(word, ENDS[word])
    if match := _PSI.fullmatch(word):
        return PressureCondition(word, _threshold(word, *match.groups()))
    if match := _PERCENTILE.fullmatch(word):
        return _latency(word, *match.groups())
    if match := _COMMAND.fullmatch(word):
        return _command(word, *match.groups())
    raise _error(word)


def _threshold(
    text: str, resource: str, scope: str | None, percent: str, window: str | None
) -> PressureThreshold:
    if resource not in RESOURCES or scope not in (None, "some", "full"):
        raise _error(text)
    if (resource, scope) == ("cpu", "full"):
        raise UsageError(
            f"--on '{text}': the pressure psi.cpu.full is always 0", "use --on 'psi.cpu>60%'"
        )
    share, window_s = float(percent) / 100, float(window or DEFAULT_WINDOW_S)
    if not 0 < share < 1 or not 0 < window_s <= _MAX_WINDOW_S:
        raise UsageError(
            f"--on '{text}' can never be true: a pressure is above 0 and below 100 % of a window "
            f"of at most {_MAX_WINDOW_S:g} s",
            f"for example: --on 'psi.{resource}>20%/2s'",
        )
    return PressureThreshold(resource, scope or "some", share, window_s)


def _latency(
    text: str, percentile: str, limit: str, unit: str, path: str | None
) -> LatencyCondition | RequestCondition:
    if not 0 < float(percentile) < 100:
        raise UsageError(f"--on '{text}': p{percentile} is not a percentile", "for example: p99")
    limit_ns = float(limit) * _UNIT_NS[unit]
    if path is None:
        return RequestCondition(text, float(percentile), round(limit_ns))
    return LatencyCondition(text, float(percentile), limit_ns, Path(path))


def _command(text: str, limit: str | None, command: str) -> CommandCondition:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UsageError(f"--on '{text}': {error}", "close the quotes") from error
    return CommandCondition(text, words, None if limit is None else float(limit))


def _error(text: str) -> UsageError:
    return UsageError(f"--on '{text}' is not a condition", f"did you mean --on '{nearest(text)}'?")


def nearest(text: str) -> str:
    """Return the valid form that is most like a wrong condition, with its numbers if possible."""
    word = text.strip().lower()
    number = (re.findall(r"\d+(?:\.\d+)?", word.partition(">")[2]) or [None])[0]
    if word.startswith(("psi", "pressure", *RESOURCES)):
        names = re.findall(r"[a-z]+", word.partition(">")[0])
        close = [name for part in names for name in difflib.get_close_matches(part, RESOURCES, 1)]
        return f"psi.{close[0] if close else 'io'}>{number or 20}%"
    if re.match(r"p\d", word):
        return f"{re.split(r'[^p0-9.]', word)[0]}>{number or 5}ms:FILE.hlog"
    if word.startswith(("cmd", "com", "exec", "run")):
        return f"command>{number}:CMD" if number else "command:CMD"
    if word.startswith(("sig", "usr")):
        return "signal"
    close = difflib.get_close_matches(word, FORMS, 1, cutoff=0.3)
    return close[0] if close else FORMS[0]
