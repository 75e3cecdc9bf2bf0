"""The accesses in the traces (AUX data) of a capture."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stallscope.quantities import size_text
from topdown.data.accesses import Accesses, no_accesses
from topdown.data.spe_packets import TRACE_KIND, read_trace, trace_accesses

if TYPE_CHECKING:
    from stallscope._native import Capture

MAX_TRACE_BYTES = 16 << 20  # decoding takes 1 s per MiB


@dataclass(frozen=True, slots=True)
class TracedAccesses:
    """The accesses of all traces, and what was not read."""

    accesses: Accesses
    warnings: tuple[str, ...] = ()


def traced_accesses(capture: "Capture", path: Path) -> TracedAccesses:
    """Return the accesses in the traces of Arm's statistical profiling extension."""
    blocks = capture.traces
    if not blocks:
        return TracedAccesses(no_accesses())
    if capture.trace_kind != TRACE_KIND:
        return TracedAccesses(
            no_accesses(), ("The traces of the recording are not of Arm SPE: they were not read.",)
        )
    warnings = []
    columns: list[Accesses] = []
    remaining_bytes = MAX_TRACE_BYTES
    skipped = 0
    with path.open("rb") as file:
        for block in blocks:
            size = min(block.bytes, remaining_bytes)
            remaining_bytes -= size
            file.seek(block.file_offset)
            trace = read_trace(file.read(size))
            skipped += trace.skipped_bytes
            columns.append(trace_accesses(trace.records, tid=block.tid, cpu=block.cpu))
    total = sum(block.bytes for block in blocks)
    if total > MAX_TRACE_BYTES:
        warnings.append(
            f"The first {size_text(MAX_TRACE_BYTES)} of {size_text(total)} of traces were read."
        )
    if skipped:
        warnings.append(f"{skipped:,} bytes of the traces are not packets of Arm SPE.")
    warnings.append("Functions and fields of traced accesses are not resolved.")
    return TracedAccesses(Accesses.joined(columns), tuple(warnings))
