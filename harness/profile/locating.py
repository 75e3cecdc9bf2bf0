"""Where flagged slots come from: the events that a vendor names for a node, sampled one by one."""

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from harness.cli.terminal import note
from harness.profile.analysis import Analysis, analyze, model_of_recording
from harness.profile.located import Located, Place
from harness.profile.recorder import record
from stallscope.collector import CollectorOptions
from stallscope.errors import StallscopeError
from stallscope.recordings import Recording
from topdown.slots.function_slots import SlotsByFunction
from topdown.slots.model import Model
from topdown.slots.sampling_group import encoded

MOST_EVENTS = 4
PLACES_SHOWN = 5

Sampler = Callable[[str, Path], Analysis]


def flagged(found: SlotsByFunction | None) -> tuple[str, ...]:
    """Return the nodes of the whole recording that are above their threshold, deepest first."""
    if found is None:
        return ()
    above = [node for node in found.total.nodes if node.above_threshold and not node.impossible]
    return tuple(node.name for node in sorted(above, key=lambda node: -(node.level or 0)))


def events_of(model: Model, nodes: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return (node, event) for what locates the nodes, each event once."""
    pairs: dict[str, str] = {}
    for node in nodes:
        for event in model.nodes[node].locate_with:
            pairs.setdefault(event, node)
    return tuple((node, event) for event, node in pairs.items())


def locate(
    model: Model, nodes: tuple[str, ...], directory: Path, sample: Sampler
) -> tuple[Located, ...]:
    """Return what ``sample`` finds of the nodes' events, in recordings below a directory."""
    made = []
    for place, (node, event) in enumerate(events_of(model, nodes)):
        if place >= MOST_EVENTS:
            made.append(Located(node, event, (), why=f"only {MOST_EVENTS} events are sampled"))
        elif event not in model.events:
            made.append(Located(node, event, (), why="the model has no encoding of it"))
        else:
            into = directory / f"locate-{re.sub(r'[^A-Za-z0-9]+', '-', event)}"
            made.append(_sampled(node, event, into, lambda e, to: sample(encoded(model, e), to)))
    return tuple(made)


def _sampled(node: str, event: str, into: Path, sample: Sampler) -> Located:
    try:
        analysis = sample(event, into)
    except StallscopeError as error:
        return Located(node, event, (), why=str(error))
    profile, ranking = analysis.profile, analysis.ranking
    places = tuple(
        Place(
            function=profile.functions[row.index].name,
            module=profile.functions[row.index].module,
            share=row.self_value / ranking.value if ranking.value else 0.0,
            samples=row.self_samples,
            lines=profile.functions[row.index].lines,
        )
        for row in ranking.functions[:PLACES_SHOWN]
        if row.self_samples
    )
    return Located(node, event, places, profile.samples, into)


def locate_flagged(
    options: CollectorOptions,
    recording: Recording,
    analysis: Analysis,
    *,
    lines: int,
    as_json: bool,
) -> tuple[Located, ...]:
    """Return where the nodes that a recording flags come from: their events, sampled one by one.

    Recorded as the options say, as precisely as can be, below the recording. With ``as_json`` a
    command's standard output goes to standard error.
    """
    model = model_of_recording(recording.manifest)
    if model is None or analysis.slots is None:
        return ()

    def sample(event: str, into: Path) -> Analysis:
        note(f"sampling {event.partition('=')[0]}")
        changed = replace(
            options, event=f"{event}:p", counted=(), leader="", output=into, force=True
        )
        made, _ = record(changed, sys.stderr if as_json else None)
        return analyze(made, lines=lines)

    return locate(model, flagged(analysis.slots), recording.path, sample)
