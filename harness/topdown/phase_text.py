"""Counters of measured intervals for the terminal: one row per event, one column per interval."""

from collections.abc import Iterator, Mapping

from harness.topdown.phase_counts import PhaseCounts

_LABEL_WIDTH = 24
_NS_PER_S = 1e9


def phase_lines(counts: Mapping[str, PhaseCounts], cell_width: int = 31) -> Iterator[str]:
    """Yield the table of rates per second, IPC and slots; nothing without counts."""
    if not counts:
        return
    yield (
        f"{'counters, per second':<{_LABEL_WIDTH}}"
        + "".join(f"{name:<{cell_width}}" for name in counts).rstrip()
    )
    rows = {
        event.event: [_rate(item, event.event) for item in counts.values()]
        for event in next(iter(counts.values())).events
    }
    rows["IPC"] = ["" if item.ipc is None else f"{item.ipc:.2f}" for item in counts.values()]
    for name in dict.fromkeys(slot.name for item in counts.values() for slot in item.slots):
        rows[name] = [_share(item, name) for item in counts.values()]
    for name, cells in rows.items():
        if any(cells):
            texts = "".join(f"{cell or 'n/a':<{cell_width}}" for cell in cells)
            yield f"  {name[: _LABEL_WIDTH - 3]:<{_LABEL_WIDTH - 2}}{texts}".rstrip()
    for reason in dict.fromkeys(item.unavailable for item in counts.values()):
        if reason:
            yield f"  other events are unavailable: {reason}"


def phase_sentences(counts: Mapping[str, PhaseCounts]) -> Iterator[str]:
    """Yield a sentence per interval, for intervals with long names."""
    for name, item in counts.items():
        texts = [f"{event.event} {_rate(item, event.event)}" for event in item.events]
        parts = [text for text in texts if not text.endswith(" ")]
        parts += [] if item.ipc is None else [f"IPC {item.ipc:.2f}"]
        parts += [f"{slot.name} {_share(item, slot.name)}" for slot in item.slots if slot.share]
        yield f"counters of {name}, per second: {', '.join(parts)}"
    for reason in dict.fromkeys(item.unavailable for item in counts.values()):
        if reason:
            yield f"other events are unavailable: {reason}"


def _rate(counts: PhaseCounts, event: str) -> str:
    count = counts.count(event)
    if count is None or counts.seconds <= 0:
        return ""
    rate = count / counts.seconds
    return f"{rate / _NS_PER_S:.3f} CPUs" if event == "task-clock" else f"{rate:,.0f}"


def _share(counts: PhaseCounts, name: str) -> str:
    share = next((slot.share for slot in counts.slots if slot.name == name), None)
    return "" if share is None else f"{share:.1%}"
