"""From the stages lab's results to its page."""

from pathlib import Path

from harness.cli.outputs import write_whole
from harness.labs.stages.conclusion import conclude
from harness.labs.stages.notes import heading, notes
from harness.labs.stages.page import Block, Cell, SideFlame, StagesPage, render_stages_page
from harness.labs.stages.plan import FIXED_RATE, SATURATED, Load, Side
from harness.labs.stages.results import StagesResults
from harness.labs.stages.rows import (
    BATCH,
    THROUGHPUT,
    Row,
    estimate_text,
    measured_rows,
    ratio_text,
)
from harness.labs.stages.text import simulated_rows, slot_text
from harness.page.latency_panel import Series
from harness.profile.analysis import analyze
from harness.profile.page_files import write_page
from harness.recordings.settings_text import settings_facts
from stallscope.histograms import IntervalLog, read_interval_log
from stallscope.host import read_host
from stallscope.recordings import open_recording

_COLUMNS = ("unstaged", "staged", "staged / unstaged")
_LEAST_EFFECT = 0.01
LOG = "intended.hlog"


def write_stages_page(results: StagesResults) -> Path:
    """Return the path of the lab's page, written whole; each side's own page beside it."""
    page = results.options.output / "report.html"
    write_whole(page, [render_stages_page(stages_page(results))])
    return page


def stages_page(results: StagesResults) -> StagesPage:
    """Return what the page shows."""
    verdict = conclude(results)
    synthetic = " (synthetic code)" if results.options.path == "codec" else ""
    load = FIXED_RATE if FIXED_RATE in results.options.loads else SATURATED
    return StagesPage(
        title=f"Execution stages off and on: {results.options.path}{synthetic}",
        recording_name=results.options.output.resolve().name,
        source=heading(results),
        verdict=str(verdict.conclusion),
        reason=verdict.reason,
        notes=notes(results),
        columns=_COLUMNS,
        table=_blocks(results),
        flames=_flames(results),
        flames_why_not=results.profiles_why_not or "none were asked for",
        latency=[Series(str(side), merged_log(results, load, side), False) for side in Side],
        latency_hint=f"{load.describe()}, all rounds of a side merged, from the intended start",
        simulated=_simulated(results),
        slots=_slots(results),
        slots_why_not=results.slots.why_not or "it was not asked for",
        facts=_facts(results),
    )


def merged_log(results: StagesResults, load: Load, side: Side) -> IntervalLog:
    """Return the intervals of all of a side's runs under a load, as one log."""
    logs = [
        read_interval_log(each.folder / LOG)
        for each in results.readings
        if (each.turn.load, each.turn.side) == (load, side)
    ]
    return IntervalLog(
        tuple(interval for log in logs for interval in log.intervals),
        tuple(warning for log in logs for warning in log.warnings),
    )


def _blocks(results: StagesResults) -> list[Block]:
    found: dict[Load, list[tuple[str, tuple[Cell, ...]]]] = {}
    for row in measured_rows(results):
        found.setdefault(row.load, []).append((row.quantity.name, _cells(row)))
    return [Block(load.describe(), tuple(lines)) for load, lines in found.items()]


def _cells(row: Row) -> tuple[Cell, ...]:
    text = row.quantity.text
    return (
        Cell(estimate_text(row.unstaged, text)),
        Cell(estimate_text(row.staged, text)),
        Cell(ratio_text(row.ratio), _look(row)),
    )


def _look(row: Row) -> str:
    """Return whether staged is better or worse in every round, by more than a trifle."""
    if row.quantity is BATCH:
        return ""
    if row.quantity is THROUGHPUT and row.load != SATURATED:
        return ""  # the rate was asked for
    more = row.ratio.is_above(1 + _LEAST_EFFECT)
    less = row.ratio.is_below(1 - _LEAST_EFFECT)
    good, bad = (more, less) if row.quantity is THROUGHPUT else (less, more)
    return "better" if good else "worse" if bad else ""


def _flames(results: StagesResults) -> list[SideFlame]:
    flames = []
    for side, path in results.profiles.items():
        recording = open_recording(path)
        analysis = analyze(recording)
        own = write_page(recording, analysis)
        relative = own.relative_to(results.options.output)
        flames.append(SideFlame(str(side), analysis.profile, str(relative)))
    return flames


def _simulated(results: StagesResults) -> Block | None:
    found = simulated_rows(results)
    if not found:
        return None
    return Block(
        results.replays.model,
        tuple((name, tuple(Cell(text) for text in texts)) for name, *texts in found),
    )


def _slots(results: StagesResults) -> Block | None:
    sides = results.slots.sides
    if not sides:
        return None
    names = dict.fromkeys(name for slots in sides.values() for name in slots.values)
    return Block(
        "while saturated, by the server's pid",
        tuple(
            (name, tuple(Cell(slot_text(name, sides[side].values.get(name))) for side in Side))
            for name in names
        ),
    )


def _facts(results: StagesResults) -> dict[str, str]:
    host = read_host()
    facts = {"host": host.hostname, "CPU": host.cpu_model, "kernel": host.kernel_release}
    return facts | settings_facts(results.settings)
