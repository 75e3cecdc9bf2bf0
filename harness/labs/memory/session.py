"""One run of the memory lab on this machine: the plan, its progress on stderr, the results."""

from dataclasses import replace

from harness.cli.terminal import LiveLine
from harness.labs.memory.experiment import LabProgress, LabResults, run_lab
from harness.labs.memory.plan import LabOptions, make_plan
from harness.recordings.settings_text import settings_now, settings_since
from harness.workload.machine import read_machine
from stallscope.errors import UnableError
from stallscope.quantities import size_text
from stallscope.system_files import Roots

# Upper bound of the share of available memory that rings use; the rest is left to other programs.
MEMORY_SHARE = 0.25


def run_session(options: LabOptions, allowed: frozenset[int]) -> LabResults:
    """Return what was measured; says on a terminal how far it is.

    Raises UnableError where nothing can be measured.
    """
    machine = read_machine(Roots(), allowed)
    limit_bytes = int(machine.available_bytes * MEMORY_SHARE)
    parts = make_plan(machine, options, limit_bytes)
    if not any(part.points for part in parts):
        raise UnableError(
            f"no ring fits the {size_text(limit_bytes)} that the lab may take: a quarter of what "
            "is available",
            "free some memory, or ask for smaller rings with --least",
        )
    before = settings_now()
    live = LiveLine()
    live.show(f"measuring: about {sum(part.expected_s for part in parts):.0f} s")
    try:
        results = run_lab(
            machine, parts, limit_bytes=limit_bytes, on_progress=lambda to: _say(live, to)
        )
    finally:
        live.clear()
    if not any(section.measured for section in results.sections) and results.interrupted:
        raise KeyboardInterrupt
    return replace(results, settings=settings_since(before))


def _say(live: LiveLine, progress: LabProgress) -> None:
    point = progress.point
    what = f"{size_text(point.ring_bytes)}, {point.pages} pages"
    live.show(
        f"{progress.share:4.0%}  {progress.section}: {what}; about {progress.left_s:.0f} s left"
    )
