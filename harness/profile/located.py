"""What sampling the events of flagged slots found: for people and for scripts."""

from dataclasses import dataclass
from pathlib import Path

import click

from harness.cli.terminal import percent, printable, shorten, width


@dataclass(frozen=True, slots=True)
class Place:
    """A function with its share of an event's samples, 0..1, and its hottest lines."""

    function: str
    module: str
    share: float
    samples: int
    lines: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Located:
    """What sampling one event found; ``why`` says why nothing if ``places`` is empty."""

    node: str
    event: str
    places: tuple[Place, ...]
    samples: int = 0
    recording: Path | None = None
    why: str = ""


def document(found: tuple[Located, ...]) -> list[dict[str, object]]:
    """Return what a JSON document says of what was located."""
    return [
        {
            "node": each.node,
            "event": each.event,
            "samples": each.samples,
            "recording": None if each.recording is None else str(each.recording),
            "unavailable": each.why or None,
            "functions": [
                {
                    "name": place.function,
                    "module": place.module,
                    "self_share": place.share,
                    "self_samples": place.samples,
                    "lines": [{"line": line, "samples": count} for line, count in place.lines],
                }
                for place in each.places
            ],
        }
        for each in found
    ]


def text(found: tuple[Located, ...]) -> list[str]:
    """Return lines for a terminal: each event with the functions and lines that have most of it."""
    if not found:
        return ["nothing is over its threshold that the vendor names an event for"]
    lines = []
    for each in found:
        heading = f"{each.node}: {each.event}"
        if not each.places:
            lines.append(f"{heading}: {each.why or 'no sample of it'}")
            continue
        lines.append(click.style(f"{heading}, {each.samples:,} samples", bold=True))
        for place in each.places:
            name = shorten(printable(place.function), max(20, width() - 12))
            lines.append(f"{percent(place.share):>9}  {name}")
            lines += [
                f"{'':9}    {shorten(printable(line), max(20, width() - 30))}  {samples:,} samples"
                for line, samples in place.lines[:3]
            ]
    return lines
