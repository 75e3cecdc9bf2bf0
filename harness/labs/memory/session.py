"""A run of `stallscope lab memory`: plan, measurement, output, files."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from harness.cli.outputs import write_whole
from harness.cli.result_output import print_result
from harness.cli.terminal import LiveLine, note
from harness.labs.memory.measurement import MemoryMeasurement, MemoryProgress, measure_memory
from harness.labs.memory.options import MemoryOptions
from harness.labs.memory.plan import make_plan
from harness.labs.memory.result import MemoryResult, memory_result
from harness.labs.memory.text import lines
from harness.labs.memory.thread_events import thread_events
from harness.recordings.settings_text import settings_now, settings_since
from harness.workload.machine import read_machine
from stallscope.documents import encode
from stallscope.errors import UnableError
from stallscope.host import read_host
from stallscope.quantities import size_text
from stallscope.system_files import Roots

# Largest share of available memory that rings use; the rest is left to other programs.
MEMORY_SHARE = 0.25


def run_memory(
    options: MemoryOptions, allowed: frozenset[int], outputs: Sequence[Path], *, as_json: bool
) -> None:
    """Measure, print the result and write the files.

    Raises UnableError if nothing can be measured.
    """
    result = memory_result(_measure(options, allowed), read_host().cpu_model)
    print_result(result, lines, as_json=as_json)
    for path in outputs:
        write_whole(path, [_content(result, path.suffix.lower())])
        note(f"wrote {path}")


def _measure(options: MemoryOptions, allowed: frozenset[int]) -> MemoryMeasurement:
    machine = read_machine(Roots(), allowed)
    limit_bytes = int(machine.available_bytes * MEMORY_SHARE)
    parts = make_plan(machine, options, limit_bytes)
    if not any(part.points for part in parts):
        raise UnableError(
            f"no ring fits the lab's limit of {size_text(limit_bytes)}, a quarter of available "
            "memory",
            "free some memory, or use smaller rings with --min-size",
        )
    events = thread_events(options.events) if options.events else ()
    before = settings_now()
    live = LiveLine()
    live.show(f"measuring: about {sum(part.expected_s for part in parts):.0f} s")
    try:
        lab = measure_memory(
            machine,
            parts,
            limit_bytes=limit_bytes,
            on_progress=lambda progress: _show_progress(live, progress),
            events=events,
        )
    finally:
        live.clear()
    if lab.interrupted and not lab.all_readings():
        raise KeyboardInterrupt
    return replace(lab, settings=settings_since(before))


def _show_progress(live: LiveLine, progress: MemoryProgress) -> None:
    point = progress.point
    ring = f"{size_text(point.ring_bytes)}, {point.pages} pages"
    live.show(
        f"{progress.section}: {ring}; about {progress.left_s:.0f} s left",
        done=progress.share,
        whole=1.0,
    )


def _content(result: MemoryResult, suffix: str) -> str | bytes:
    if suffix == ".json":
        return encode(result) + "\n"
    from harness.labs.memory.picture import memory_picture  # noqa: PLC0415 - loads matplotlib

    return memory_picture(result, suffix.lstrip("."))
