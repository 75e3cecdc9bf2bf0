"""The events that each thread of the memory lab counts, as stallscope-memory reads them.

stallscope-memory opens its own events on each thread, so no name may depend on a plan of counters:
each is a name with its encoding, or one that libpfm4 knows.
"""

from collections.abc import Sequence

from harness.topdown.memory_events import MEMORY_PRESET, memory_events
from harness.topdown.phase_counts import SOFTWARE
from stallscope.errors import UnableError
from stallscope.system_files import Roots
from topdown.slots.counting.counting_mode import CountingMode, counting_mode_of
from topdown.slots.counting.plan import Encoding
from topdown.slots.counting.requested_events import requested_events
from topdown.slots.detection import model_of_identity, read_identity

_CORE = ("cycles", "instructions")  # the program counts the first two in one group
# The events that the lab counts by default have other names in its results.
_SHOWN_SOFTWARE = ("task-clock", "page-faults", "context-switches")


def thread_events(words: Sequence[str], roots: Roots = Roots()) -> tuple[str, ...]:  # noqa: B008 - immutable
    """Return cycles, instructions, the requested events and software events, encoded.

    Raises UsageError for an invalid name.
    """
    identity = read_identity(roots)
    model = None if identity is None else model_of_identity(identity)
    mode = CountingMode()
    if model is not None:
        try:
            mode = counting_mode_of(model, roots, per_process=True)
        except UnableError:  # no counters: the kernel refuses the events, with its reason
            mode = CountingMode()
    labels: dict[str, str] = {}
    if tuple(words) == (MEMORY_PRESET,):
        events = memory_events(None if model is None else model.key)
        labels = {name: label for label, name in events.items()}
        words = tuple(events.values())
    requested = requested_events(words, model, mode)
    names = [
        _encoded(labels.get(event.spelling, event.spelling), event.encoding)
        for event in requested
        if event.spelling not in (*_CORE, *SOFTWARE)
    ]
    return (*_CORE, *names, *_SHOWN_SOFTWARE)


def _encoded(label: str, encoding: Encoding) -> str:
    """Return the event as NAME=TYPE:CONFIG:CONFIG1, or as libpfm4's name."""
    if encoding.name:
        return encoding.name
    name = label.replace("=", "").replace(":", ".")
    return f"{name}={encoding.event_type}:{encoding.config:#x}:{encoding.config1:#x}"
