"""Events requested by name: the model's in any spelling, raw codes, and libpfm4's."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from stallscope.errors import UsageError
from topdown.slots.counting.counting_mode import CountingMode
from topdown.slots.counting.plan import Encoding, counted_as, encoding_of
from topdown.slots.counts import nearest_events
from topdown.slots.event_names import canonical, index
from topdown.slots.model import Model

MAX_EVENTS = 64
MAX_NAME_CHARS = 200
_CODE = re.compile(r"0x(?P<config>[0-9a-f]{1,16})(?:/0x(?P<config1>[0-9a-f]{1,16}))?")
_NAME = re.compile(r"[A-Za-z0-9_.:=/,@+-]+")


@dataclass(frozen=True, slots=True)
class RequestedEvent:
    """An event as spelled on the command line; ``event`` is its name in the plan."""

    spelling: str
    event: str
    encoding: Encoding


def requested_events(
    words: Iterable[str], model: Model | None, mode: CountingMode
) -> tuple[RequestedEvent, ...]:
    """Return requested events with their encodings. Raises UsageError for an invalid name.

    A name that is neither an event of the model nor a raw code is passed to libpfm4.
    unknown_event_error() is the error if libpfm4 does not know it either.
    """
    events: list[RequestedEvent] = []
    for word in _split(words):
        if len(word) > MAX_NAME_CHARS or not _NAME.fullmatch(word):
            raise UsageError(f"invalid event name {word[:80]!r}", "see perf list")
        event, encoding = _resolved(word, model, mode)
        if all(other.event != event for other in events):
            events.append(RequestedEvent(word, event, encoding))
    if len(events) > MAX_EVENTS:
        raise UsageError(f"{len(events)} events; the limit is {MAX_EVENTS}", "request fewer")
    return tuple(events)


def _split(words: Iterable[str]) -> list[str]:
    """Return the names in words as perf splits them: a comma between slashes is no separator."""
    names: list[str] = []
    for word in words:
        parts: list[str] = []
        for part in word.split(","):
            if parts and parts[-1].count("/") % 2:
                parts[-1] += "," + part
            else:
                parts.append(part.strip())
        names += filter(None, parts)
    return names


def _resolved(word: str, model: Model | None, mode: CountingMode) -> tuple[str, Encoding]:
    spelling = canonical(word)
    if model is not None:
        name = word if word in model.events else index(model.events, ()).get(spelling)
        if name is not None:
            event = counted_as(model, mode, name)
            return event, encoding_of(model, mode, event)
    code = _CODE.fullmatch(spelling)
    if code is not None:
        config1 = int(code["config1"] or "0", 16)
        return spelling, Encoding(mode.event_type, int(code["config"], 16), config1)
    return word, Encoding(name=word)


def unknown_event_error(word: str, model: Model | None, why: str) -> UsageError:
    """Return the error for an unknown event, with the nearest names."""
    nearest = () if model is None else nearest_events(model, word[:MAX_NAME_CHARS])
    remedy = f"nearest: {', '.join(nearest)}" if nearest else "see perf list, or use a code: r01c2"
    cpu = "" if model is None else f" of {model.title}"
    return UsageError(f"unknown event{cpu} {word[:80]!r}: {why}", remedy)
