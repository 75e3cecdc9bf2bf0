"""Events that a person asks for by name: a model's own in any spelling, raw codes, libpfm4's."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from stallscope.errors import UsageError
from topdown.slots.counting.counting_mode import CountingMode
from topdown.slots.counting.plan import Encoding, counted_as, encoding_of
from topdown.slots.counts import near
from topdown.slots.event_names import canonical, index
from topdown.slots.model import Model

MOST = 64
LONGEST = 200
_CODE = re.compile(r"0x(?P<config>[0-9a-f]{1,16})(?:/0x(?P<config1>[0-9a-f]{1,16}))?")
_NAME = re.compile(r"[A-Za-z0-9_.:=/,@+-]+")


@dataclass(frozen=True, slots=True)
class RequestedEvent:
    """One event as a person spelled it; ``event`` is its name in the plan."""

    spelling: str
    event: str
    encoding: Encoding


def requested_events(
    words: Iterable[str], model: Model | None, mode: CountingMode
) -> tuple[RequestedEvent, ...]:
    """Return a person's events with their encodings; UsageError where a word can be none.

    A name that neither the model has nor a code is goes to libpfm4 as it stands; unknown_event_error()
    is what to say where that has none either.
    """
    found: list[RequestedEvent] = []
    for word in _split(words):
        if len(word) > LONGEST or not _NAME.fullmatch(word):
            raise UsageError(f"no event is called {word[:80]!r}", "see perf list")
        event, encoding = _resolved(word, model, mode)
        if all(each.event != event for each in found):
            found.append(RequestedEvent(word, event, encoding))
    if len(found) > MOST:
        raise UsageError(f"{len(found)} events: at most {MOST} are counted", "ask for fewer")
    return tuple(found)


def _split(words: Iterable[str]) -> list[str]:
    """Return the names in words as perf takes them: a comma between slashes parts none."""
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
    """Return the error of an event that nobody knows, with the nearest names."""
    nearest = () if model is None else near(model, word[:LONGEST])
    remedy = f"nearest: {', '.join(nearest)}" if nearest else "see perf list, or give a code: r01c2"
    cpu = "" if model is None else f" of {model.title}"
    return UsageError(f"no event{cpu} is called {word[:80]!r}: {why}", remedy)
