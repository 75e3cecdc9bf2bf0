"""Locating flagged slots: sampling the events that the vendor names for a node."""

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from harness.cli.terminal import note
from harness.profile.analysis import Analysis, analyze, model_of_recording
from harness.profile.options import AnalysisOptions
from harness.profile.recorder import record
from harness.profile.result import LineSamples, LocatedEvent, LocatedFunction
from stallscope.collector import CollectorOptions
from stallscope.errors import StallscopeError
from stallscope.recordings import Recording
from topdown.slots.function_slots import SlotsByFunction
from topdown.slots.model import Model
from topdown.slots.sampling_group import encoded

MAX_EVENTS = 4
FUNCTIONS_LISTED = 5

Sampler = Callable[[str, Path], Analysis]


def flagged(slots: SlotsByFunction | None) -> tuple[str, ...]:
    """Return the nodes of the whole recording above their thresholds, deepest first."""
    if slots is None:
        return ()
    above = [node for node in slots.total.nodes if node.above_threshold and not node.impossible]
    return tuple(node.name for node in sorted(above, key=lambda node: -(node.level or 0)))


def events_of(model: Model, nodes: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return (node, event) of the events that locate the nodes, without repetition."""
    nodes_by_event: dict[str, str] = {}
    for node in nodes:
        for event in model.nodes[node].locate_with:
            nodes_by_event.setdefault(event, node)
    return tuple((node, event) for event, node in nodes_by_event.items())


def locate(
    model: Model, nodes: tuple[str, ...], directory: Path, sample: Sampler
) -> tuple[LocatedEvent, ...]:
    """Return the functions of the nodes' events, sampled into recordings below a directory."""
    located = []
    for number, (node, event) in enumerate(events_of(model, nodes)):
        if number >= MAX_EVENTS:
            reason = f"only {MAX_EVENTS} events are sampled"
            located.append(LocatedEvent(node=node, event=event, unavailable=reason))
        elif event not in model.events:
            reason = "the model has no encoding of it"
            located.append(LocatedEvent(node=node, event=event, unavailable=reason))
        else:
            output = directory / f"locate-{re.sub(r'[^A-Za-z0-9]+', '-', event)}"
            located.append(_sampled(node, event, encoded(model, event), output, sample))
    return tuple(located)


def _sampled(node: str, event: str, encoding: str, output: Path, sample: Sampler) -> LocatedEvent:
    try:
        analysis = sample(encoding, output)
    except StallscopeError as error:
        return LocatedEvent(node=node, event=event, unavailable=str(error))
    profile, ranking = analysis.profile, analysis.ranking
    functions = []
    for row in ranking.functions[:FUNCTIONS_LISTED]:
        function = profile.functions[row.index]
        if row.self_samples:
            functions.append(
                LocatedFunction(
                    name=function.name,
                    module=function.module,
                    self_share=row.self_value / ranking.value if ranking.value else 0.0,
                    self_samples=row.self_samples,
                    lines=tuple(LineSamples(line, samples) for line, samples in function.lines),
                )
            )
    return LocatedEvent(
        node=node,
        event=event,
        samples=profile.samples,
        recording=str(output),
        functions=tuple(functions),
    )


def locate_flagged(
    options: CollectorOptions,
    recording: Recording,
    analysis: Analysis,
    *,
    lines: int,
    as_json: bool,
) -> tuple[LocatedEvent, ...]:
    """Return the functions of the nodes that a recording flags, sampling one event at a time.

    Events are recorded with the same options and the highest precision, below the recording. With
    ``as_json`` a command's standard output goes to standard error.
    """
    model = model_of_recording(recording.manifest)
    if model is None or analysis.slots is None:
        return ()

    def sample(event: str, output: Path) -> Analysis:
        note(f"sampling {event.partition('=')[0]}")
        sampling = replace(
            options, event=f"{event}:p", counted=(), leader="", output=output, force=True
        )
        sampled_recording, _ = record(sampling, sys.stderr if as_json else None)
        return analyze(sampled_recording, AnalysisOptions(lines=lines))

    return locate(model, flagged(analysis.slots), recording.path, sample)
