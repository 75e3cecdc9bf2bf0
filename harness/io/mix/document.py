"""The document of `stallscope io mix`: each cell with what was asked and what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from ioprobe.mix.cells import CellReading, ReadWriteCell
from ioprobe.mix.measurement import ReadWriteMix, SizeRow

SCHEMA = "stallscope.io.mix/1"


@dataclass(frozen=True, slots=True)
class MixMeasurement:
    """A matrix with what it was measured of and by; ``facts`` are labels and texts."""

    path: str
    modelled: bool
    mix: ReadWriteMix
    facts: dict[str, str]
    warnings: Sequence[str]
    seconds: float


def mix_document(measured: MixMeasurement) -> dict[str, object]:
    """Return ``stallscope.io.mix/1``; a masked cell has its reason, and null for what it got."""
    mix = measured.mix
    return {
        "schema": SCHEMA,
        "source": "modelled" if measured.modelled else "measured",
        "path": measured.path,
        "block_bytes": mix.plan.block_bytes,
        "most_reads_per_s": mix.most_reads,
        "most_writes_per_s": mix.most_writes,
        "shares": list(mix.plan.shares),
        "cells": [
            {"of_most_reads": of_reads, "of_most_writes": of_writes, **_cell(cell)}
            for of_writes, row in zip(mix.plan.shares, mix.matrix, strict=False)
            for of_reads, cell in zip(mix.plan.shares, row, strict=True)
            if cell is not None
        ],
        "size_shares": list(mix.plan.size_shares),
        "sizes": [_size(row) for row in mix.sizes],
        "facts": measured.facts,
        "warnings": list(measured.warnings),
        "seconds": measured.seconds,
        "complete": mix.complete,
    }


def _size(row: SizeRow) -> dict[str, object]:
    return {
        "block_bytes": row.block_bytes,
        "kind": "writes" if row.writes else "reads",
        "most_per_s": row.most_per_s,
        "cells": [_cell(cell) for cell in row.cells],
    }


def _cell(cell: ReadWriteCell) -> dict[str, object]:
    return {
        "reads_per_s": cell.reads_per_s,
        "writes_per_s": cell.writes_per_s,
        "outcome": str(cell.outcome),
        "why": cell.reason,
        "got_per_s": cell.reading and cell.reading.iops,
        **_shown(cell.valid_reading),
    }


def _shown(reading: CellReading | None) -> dict[str, object]:
    if reading is None:
        return {"bytes_per_s": None, "read_latency_ns": None, "write_latency_ns": None}
    return {
        "bytes_per_s": reading.bytes_per_s,
        "read_latency_ns": reading.reads and reading.reads.document(),
        "write_latency_ns": reading.writes and reading.writes.document(),
    }
