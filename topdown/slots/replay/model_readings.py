"""Readings of a file with their CPU models."""

from dataclasses import dataclass
from pathlib import Path

from stallscope.errors import RecordingError
from stallscope.system_files import Roots
from topdown.slots.counts import Counts, EventCounts, counts_of, nearest_events
from topdown.slots.detection import (
    identity_of_midr,
    model_named,
    model_of_identity,
    model_of_machine,
)
from topdown.slots.evaluation import Tree, evaluate
from topdown.slots.model import Model, keys, load
from topdown.slots.replay.count_file import read_count_file


@dataclass(frozen=True, slots=True)
class ModelReading:
    """A reading with its model and its counts under the model's names."""

    reading: EventCounts
    model: Model
    counts: Counts

    def tree(self) -> Tree:
        """Return the reading's tree."""
        return evaluate(self.model, self.counts)


def read_model_readings(
    path: Path,
    *,
    cpu: str = "",
    roots: Roots = Roots(),  # noqa: B008 - immutable
) -> tuple[ModelReading, ...]:
    """Return the readings of a file, at least one, with their models.

    ``cpu`` overrides the CPU in the file; without both, it is the CPU of the machine at the roots.
    Raises the errors of read_count_file() and of model detection, and RecordingError if no count
    belongs to the CPU's events.
    """
    readings = []
    for reading in read_count_file(path):
        model, notes = model_of_reading(reading, cpu, roots)
        counts = counts_of(model, reading, notes)
        if not counts.values and not counts.absent:
            raise RecordingError(
                f"{reading.where}: none of the counts is an event of {model.title}: "
                f"{', '.join(_first(counts.unknown)) or 'the file has no counts'}",
                _suggestion(model, counts.unknown),
            )
        readings.append(ModelReading(reading, model, counts))
    return tuple(readings)


def model_of_reading(reading: EventCounts, cpu: str, roots: Roots) -> tuple[Model, tuple[str, ...]]:
    """Return a reading's model, and notes about the choice."""
    name = cpu or reading.cpu
    by_midr = None
    if reading.midr is not None:
        by_midr = model_of_identity(identity_of_midr(reading.midr))
    if not name:
        return by_midr or model_of_machine(roots), ()
    model = model_named(name)
    if name.strip().lower() != model.cpu:
        return model, ()
    if by_midr is not None and by_midr.cpu == model.cpu:
        return by_midr, ()
    others = [load(key) for key in keys() if key != model.key and load(key).cpu == model.cpu]
    return model, tuple(
        f"the CPU's revision is not given: {model.title} is assumed; the formulas of {other.title} "
        f"(--cpu {other.key}) differ"
        for other in others
    )


def _first(names: tuple[str, ...]) -> list[str]:
    return [name[:80] for name in names[:3]]


def _suggestion(model: Model, unknown: tuple[str, ...]) -> str:
    for name in unknown[:3]:
        if nearest := nearest_events(model, name[:80]):
            return f"nearest to {name[:80]!r}: {', '.join(nearest)}"
    return f"name the CPU that was counted with --cpu: {', '.join(keys())}"
